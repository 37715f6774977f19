"""The headers of the tables of values."""

ENUMS = """
The values that a field may have, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  definition  its full name in the OpenAPI document
  field       its JSON name; of a list of strings, its items are meant
  context     where it holds: a kind and a path in it; - for wherever the type occurs
  values      "" is the empty text, %20 a space
  found       asked: answers of the API server's code name the values
              marker: constants of a Go type of k8s.io/api with the marker +enum, which
              say what a value can be, but not that the server refuses others

Made by `python -m specs.make.values` (specs/README.md), which asked {asked}.
Between two of these, it is what holds in both, and what the table said before, unless it
said so of one of the two, and neither confirms it.
"""
DEFAULTS = """
What the API server fills in where a field is absent, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  definition  its full name in the OpenAPI document
  field       its JSON name
  context     where it holds: a kind and a path in it; - for wherever the type occurs
  condition   terms about fields beside it that all hold: type=RollingUpdate, !secret
              (absent), secret (set), image~latest (its tag, latest where it has none),
              image!~latest; - for always
  value       as JSON
  found       asked: the API server's code filled it in, in all objects of the condition
              reviewed: by hand, and kept; hardly a new object has ephemeral containers

Made by `python -m specs.make.values` (specs/README.md), which asked {asked}.
Between two of these, it is what holds in both, and what the table said before, unless it
said so of one of the two, and neither confirms it.
"""
LIMITS = """
What the API server accepts of the values of a field, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  definition  its full name in the OpenAPI document
  field       its JSON name; of a list of strings, its items are meant
  context     where it holds: a kind and a path in it; - for wherever the type occurs
  rule        minimum, maximum, min_length, max_length, max_items: a number; format: one
              of generator/kubestencil/schema/knowledge/values.py; key_format: that of the
              keys of a map; required: true, or false where a document lists the field
              as required and the server accepts objects without it; unique: the fields
              that identify an item of a list, "" for the item itself
  value
  found       asked: the API server's code accepts a value inside of the border, and
              refuses one outside of it, in an object of tests/value_proofs.jsonl

Made by `python -m specs.make.values` (specs/README.md), which asked {asked}.
Between two of these, it is what holds in both, and what the table said before, unless it
said so of one of the two, and neither confirms it.
"""
IMMUTABLE = """
Fields that cannot change once an object is there, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  apiVersion  apps/v1
  kind        Deployment
  path        without the indexes of lists; all that is inside of it cannot change either

Metadata is left out: it has the same rules in all kinds. A field may still change in
objects of another form, such as a Job that is suspended.

Made by `python -m specs.make.values.immutable_fields` (specs/README.md), which asked
{asked}.
Between two of these, it is what holds in both, and what the table said before, unless it
said so of one of the two, and neither confirms it.
"""
