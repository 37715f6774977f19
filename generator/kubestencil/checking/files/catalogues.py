"""Catalogues of the JSON Schemas of custom resources, in the layout of CRDs-catalog:
``GROUP/KIND_VERSION.json``, with kinds in lower case.

A catalogue does not say how a kind is written, nor can an address be listed: what is
looked up is what the checked objects are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.manifests import Manifest, ParsedManifests
from kubestencil.errors import SourceError, SpecError
from kubestencil.schema.keywords import INT_OR_STRING
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.schema.lazy import FOUND
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.decoding import decode
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.folder import read_bytes, scan

_NAME = r"[a-z0-9][a-z0-9.-]*/[a-z0-9-]+_v[0-9a-z]+\.json"
_SCHEMA = re.compile(_NAME)
# https://github.com/redhat-developer/yaml-language-server#using-inlined-schema
_MODELINE = re.compile(
    rf"^[ \t]*# *yaml-language-server: *\$schema=\S+?/({_NAME})\s", re.M
)
# Of what a schema may say, what openapi2jsonschema adds, and what only people read.
_ADDED = ("$schema", "description")


def is_catalogue(location: str) -> bool:
    """Whether a location is a catalogue: an address that ends in a slash, or a folder that
    has schemas in folders of groups. Raises SourceError where it cannot be read."""
    if "://" in location:
        return location.startswith("https://") and location.endswith("/")
    path = Path(location)
    if not path.is_dir():
        return False
    schema = next(_schemas_in(path), None)
    try:
        return schema is not None and "kind" not in decode(read_bytes(schema), "")
    except SpecError:
        return False


def definitions_of(
    catalogues: Sequence[str],
    files: Iterable[ManifestFile],
    parsed: ParsedManifests,
    *,
    unserved: bool,
) -> CrdSet | None:
    """The definitions that catalogues have of the kinds of objects in files, each of the
    first that has it; of an object in which ``$schema`` names a schema, that one. None
    where there is none.

    Raises SourceError where a catalogue cannot be read.
    """
    kinds = _kinds(files, parsed) if catalogues else {}
    found: list[SourceFile] = []
    for kind, names in kinds.items():
        schemas = (_read(catalogue, name) for name in names for catalogue in catalogues)
        schema = next(filter(None, schemas), None)
        if schema is not None:
            found.append(_definition(kind, schema))
    return CrdSet(tuple(catalogues), tuple(found), unserved=unserved) if found else None


def _schemas_in(folder: Path) -> Iterator[Path]:
    for group in scan(str(folder)):
        if "." in group.name and group.is_dir():
            for entry in scan(group.path):
                if _SCHEMA.fullmatch(f"{group.name}/{entry.name}"):
                    yield Path(entry.path)


def _kinds(
    files: Iterable[ManifestFile], parsed: ParsedManifests
) -> dict[GroupVersionKind, list[str]]:
    """The kinds of objects in files that Kubernetes does not have, with the names of
    their schemas, the likeliest first."""
    kinds: dict[GroupVersionKind, list[str]] = {}
    for file in files:
        if not file.reason_to_skip and not file.is_part:
            for kind, named in _kinds_in(file, parsed):
                own = f"{kind.group}/{kind.kind}_{kind.version}.json".lower()
                names = kinds.setdefault(kind, [])
                names += (
                    name
                    for name in (named, own)
                    if name not in names and _SCHEMA.fullmatch(name)
                )
    return kinds


def _kinds_in(
    file: ManifestFile, parsed: ParsedManifests
) -> Iterator[tuple[GroupVersionKind, str]]:
    """The kinds in a file, with the schema that a comment above them names, or none. What
    cannot be read is reported where it is checked."""
    try:
        data = file.read()
    except SourceError:
        return
    comments = _modelines(data.decode(errors="replace"))
    comment = next(comments, None)
    for item in parsed.parse(data, file.name):
        if isinstance(item, Manifest):
            line, named = item.position(()).line, ""
            while comment is not None and comment[0] <= line:
                named, comment = comment[1], next(comments, None)
            kind = group_version_kind(item.value["apiVersion"], item.value["kind"])
            if kind.group not in built_in_groups():
                yield kind, named


def _modelines(text: str) -> Iterator[tuple[int, str]]:
    """The comments that name a schema: their lines, and the name in a catalogue."""
    line, start = 1, 0
    for match in _MODELINE.finditer(text):
        line += text.count("\n", start, match.start())
        start = match.start()
        yield line, match[1]


def _read(catalogue: str, name: str) -> SourceFile | None:
    """The schema of a name in a catalogue; None where that has none."""
    if "://" in catalogue:
        # Few runs need a network.
        from kubestencil.source.remote import download_if_there

        data = download_if_there(f"{catalogue}{name}")
        return None if data is None else SourceFile(f"{catalogue}{name}", data)
    path = Path(catalogue) / name
    return SourceFile(str(path), read_bytes(path)) if path.is_file() else None


def _definition(kind: GroupVersionKind, schema: SourceFile) -> SourceFile:
    """A CustomResourceDefinition of a kind; of one whose schema is not JSON, an invalid
    one, which is left out as those among the manifests are."""
    try:
        structural = _structural(decode(schema.data, schema.origin))
    except SpecError:
        structural = {}
    plural = f"{kind.kind.lower()}s"
    version = {
        "name": kind.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": structural},
    }
    value = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{kind.group}"},
        "spec": {
            "group": kind.group,
            "scope": "Namespaced",
            "names": {"kind": kind.kind, "plural": plural},
            "versions": [version],
        },
    }
    return SourceFile(f"{FOUND}{schema.origin}", json.dumps(value).encode())


def _structural(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that a JSON Schema was made of, as openapi2jsonschema of CRDs-catalog does:
    it closes objects, and gives a text that may be a number two types."""
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _ADDED or (keyword, value) == ("additionalProperties", False):
            continue
        if keyword == "properties" and isinstance(value, dict):
            value = {
                name: _structural(inner) if isinstance(inner, dict) else inner
                for name, inner in value.items()
            }
        elif isinstance(value, dict) and keyword not in ("default", "example"):
            value = _structural(value)
        elif isinstance(value, list) and keyword in ("allOf", "anyOf", "oneOf"):
            value = [
                _structural(inner) if isinstance(inner, dict) else inner
                for inner in value
            ]
        found[keyword] = value
    if found.get("format") == "int-or-string" and "type" not in found:
        found = {INT_OR_STRING: True}
    return found
