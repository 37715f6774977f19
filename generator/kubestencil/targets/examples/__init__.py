"""Example values of kinds, as JSON values that the writer of each language turns into code.

``trees`` decides what an example contains, with ``starters`` for built-in kinds and
``values`` for each schema (``fields``, ``scalars``, ``strings`` with a pattern), of
which the API server accepts some (``accepted``): objects follow ``rules``, and have what
is accepted at their ``places``. ``objects`` has what all of them need.
``yaml``, ``python``, ``jsonnet``, ``rust`` and ``typescript`` write values, beside their
schemas, with the names of the language's target. They lay code out as the formatters of
the languages do, and not by these: black takes milliseconds for an example, of which a
release has hundreds, and prettier and rustfmt are programs of other languages.
"""
