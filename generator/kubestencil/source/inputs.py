"""Reads whatever a path or URL has: OpenAPI documents, or CustomResourceDefinitions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kubestencil.errors import SpecError, UsageError
from kubestencil.source import embedded
from kubestencil.source.crds import files_in, read_crd_files
from kubestencil.source.decoding import decode, decode_characters
from kubestencil.source.document import (
    OPENAPI_V3,
    CrdSet,
    Source,
    SourceFile,
    shown_location,
)
from kubestencil.source.folder import read_file
from kubestencil.source.releases import release_name

# In JSON, and at the beginning of a line of YAML.
_OPENAPI_VERSION = re.compile(
    rb"""(?:^(?:swagger|openapi)|"(?:swagger|openapi)")\s*:\s*["']?\d+\.\d""",
    re.MULTILINE,
)


def read_location(location: str, name: str | None, *, unserved: bool = False) -> Source:
    """The source at ``location``.

    This is an OpenAPI document (a file, an https URL, ``-`` for standard input), a
    folder of OpenAPI 3.0 documents as an API server serves them under
    ``/openapi/v3``, the URL of an API server behind ``kubectl proxy``, or a file or
    folder of CustomResourceDefinitions, which are then read without other kinds.
    ``name`` is the name of the release; by default that of the file or folder.

    Raises UsageError for an invalid name or URL, SourceError where something cannot
    be read, SpecError where it is not JSON or YAML.
    """
    path = Path(location)
    if "://" not in location and path.is_dir():
        return _read_folder(path, name or release_name(path.resolve().name), unserved)
    if _is_api_server(location):
        from kubestencil.source.remote import download_listed

        return _merged(name or "cluster", *download_listed(location))
    source = _read_document(location, name)
    text = _utf8(source.data)
    if b"CustomResourceDefinition" in text and not _is_openapi(text):
        file = SourceFile(source.origin, source.data)
        crds = CrdSet((source.origin,), (file,), unserved=unserved)
        return crds_alone(source.release, crds)
    return source


def _read_document(location: str, name: str | None) -> Source:
    """The document at a path or an https URL, or on standard input (``-``); the default
    of its name is that of the file, without its suffix."""
    if location == "-" and name is None:
        raise UsageError(
            "a spec from standard input needs a name",
            hint="give one: kubestencil render NAME --spec -",
        )
    file = read_file(location)
    path = urlsplit(location).path if "://" in location else location
    return Source(name or release_name(Path(path).stem), *file)


def read_locations(
    locations: tuple[str, ...], name: str, *, unserved: bool = False
) -> Source:
    """The source at one location, or that of the CustomResourceDefinitions at several;
    raises as ``read_location``."""
    if len(locations) == 1:
        return read_location(locations[0], name, unserved=unserved)
    return crds_alone(name, read_crds(locations, unserved=unserved))


def crds_alone(name: str, crds: CrdSet) -> Source:
    """A source of CustomResourceDefinitions only. What they refer to, such as
    ObjectMeta, is that of the newest embedded release."""
    origin = ", ".join(crds.locations)
    types = embedded.standard_types()
    return Source(name, origin, types, crds=replace(crds, alone=True))


def _read_folder(folder: Path, name: str, unserved: bool) -> Source:
    files = files_in(folder)
    documents = [file for file in files if _is_openapi(_utf8(file.data))]
    if documents:
        return _merged(name, str(folder), documents)
    return crds_alone(name, CrdSet((str(folder),), tuple(files), unserved=unserved))


def _merged(name: str, origin: str, files: Iterable[SourceFile]) -> Source:
    """One OpenAPI 3.0 document with the schemas and paths of several.

    Each repeats the schemas that it uses of others, and what it is of.
    """
    info: object = {"title": "Kubernetes", "version": "unversioned"}
    schemas: dict[str, object] = {}
    origins: dict[str, str] = {}
    paths: dict[str, object] = {}
    for file in files:
        document = decode(file.data, file.origin)
        if not str(document.get("openapi", "")).startswith("3."):
            raise SpecError("is not OpenAPI 3.0", where=f"{file.origin}#/openapi")
        components = _table(document, "components", file.origin)
        for definition, schema in _table(components, "schemas", file.origin).items():
            schemas.setdefault(definition, schema)
            origins.setdefault(definition, file.origin)
        paths.update(_table(document, "paths", file.origin))
        info = document.get("info", info)
    document = {
        "openapi": "3.0.0",
        "info": info,
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }
    data = json.dumps(document).encode()
    return Source(name, origin, data, definition_origins=origins)


def _table(value: Mapping[str, Any], key: str, origin: str) -> Mapping[str, Any]:
    table = value.get(key, {})
    if not isinstance(table, dict):
        raise SpecError("must be an object", where=f"{origin}#/{key}")
    return table


def _is_api_server(location: str) -> bool:
    if "://" not in location:
        return False
    try:
        return urlsplit(location).path.rstrip("/") in ("", OPENAPI_V3)
    except ValueError:  # It is no URL, as reading it will say.
        return False


def _is_openapi(text: bytes) -> bool:
    """Whether the text of a file has the version of OpenAPI. A field of a custom
    resource may be called ``openapi``, too."""
    is_possible = b"openapi" in text or b"swagger" in text
    return is_possible and _OPENAPI_VERSION.search(text) is not None


def _utf8(data: bytes) -> bytes:
    """A text in UTF-8; ``data`` itself where it is no text."""
    if data[:1] not in (b"\xff", b"\xfe", b"\x00", b"\xef"):
        return data
    try:
        return decode_characters(data).encode()
    except UnicodeError:
        return data


def read_crds(locations: Iterable[str], *, unserved: bool) -> CrdSet:
    """The files at all locations, which standard input gives only once; raises as
    ``read_crd_files``."""
    names = tuple(locations)
    files = (file for location in names for file in read_crd_files(location))
    return CrdSet(tuple(map(shown_location, names)), tuple(files), unserved=unserved)


def add_crds(source: Source, crds: CrdSet) -> Source:
    """``source`` with the CustomResourceDefinitions of ``crds`` besides its own."""
    if source.crds is None:
        return replace(source, crds=crds)
    both = replace(
        source.crds,
        locations=(*source.crds.locations, *crds.locations),
        files=(*source.crds.files, *crds.files),
    )
    return replace(source, crds=both)
