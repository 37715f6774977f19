"""The embedded documents: the definitions of every minor release from 1.25 on, at its
first patch, in a table that ``hatch_build.py`` makes where kubestencil is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kubestencil.data_files import data_file
from kubestencil.errors import SourceError
from kubestencil.source.document import Source

# What a document has besides its definitions.
_HEAD = (
    b'{"swagger":"2.0","info":{"title":"Kubernetes","version":"unversioned"},'
    b'"paths":{},"definitions":{'
)


@cache
def releases() -> Mapping[str, str]:
    """Where the document of each release is from, for people; oldest release first.

    Raises SourceError as ``table`` does.
    """
    head, _ = table()
    return dict(line.decode().split("\t") for line in head.split(b"\n"))


def read(release: str) -> Source:
    """The embedded document of ``release``, which is one of ``releases()``."""
    place = str(list(releases()).index(release)).encode()
    members = (
        member
        for line in table()[1].split(b"\n")
        for places, _, member in [line.partition(b"\t")]
        if place in places.split(b",")
    )
    data = _HEAD + b",".join(members) + b"}}"
    return Source(release, releases()[release], data, is_embedded=True)


@cache
def table() -> tuple[bytes, bytes]:
    """The lines of releases and those of definitions (``table`` in ``hatch_build.py``).

    Raises SourceError in a clone that was never installed.
    """
    path = data_file("definitions.tsv")
    if not path.is_file():
        raise SourceError(
            "the definitions of Kubernetes are not there: they are made where kubestencil "
            "is installed",
            hint="install this clone: pip install -e .",
        )
    head, _, lines = path.read_bytes().partition(b"\n\n")
    return head, lines


@cache
def standard_types() -> bytes:
    """An OpenAPI document, as JSON, with the types of custom resources' standard fields.

    These are ObjectMeta and ListMeta of the newest release, with what they refer to.
    Pod and PodList are there with the standard fields only, which describe them.
    Raises SourceError as ``releases`` does.
    """
    document = read(list(releases())[-1]).document()
    definitions = document["definitions"]
    kinds = {}
    for name in ("io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.PodList"):
        fields = definitions[name]["properties"]
        standard = {
            field: fields[field] for field in ("apiVersion", "kind", "metadata")
        }
        kinds[name] = {"type": "object", "properties": standard}
    pending = list(_references(kinds))
    names: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in names:
            names.add(name)
            pending += _references(definitions[name])
    types = {name: definitions[name] for name in definitions if name in names}
    return json.dumps({**document, "definitions": {**types, **kinds}}).encode()


def _references(value: Any) -> Iterator[str]:
    """The names of the definitions that a value refers to."""
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix("#/definitions/")
        for inner in value.values():
            yield from _references(inner)
