"""How a client proves who it is: the API key that a document states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from kubestencil.schema.types import Release


class Authentication(NamedTuple):
    """How a client proves who it is: the name of an API key, and its header."""

    name: str
    parameter: str


# That of every API server (kube-apiserver, securityDefinitions of its document), and
# of documents that state none.
_BEARER_TOKEN = Authentication("BearerToken", "authorization")
# Others could not be in the code of examples and in links.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")


def authentication_of(release: Release) -> Authentication:
    """The first API key in a header that the document's operations need, or else that
    it defines; that of every API server where it defines none."""
    definitions = release.document.get("securityDefinitions")
    if not isinstance(definitions, dict):
        return _BEARER_TOKEN
    for name in (*_required_names(release.document.get("security")), *definitions):
        match definitions.get(name):
            case {"type": "apiKey", "in": "header", "name": str(parameter)}:
                if _NAME.match(name) and _NAME.match(parameter):
                    return Authentication(name, parameter)
    return _BEARER_TOKEN


def _required_names(security: Any) -> Iterator[str]:
    """The names in the security requirements of a document."""
    for requirement in security if isinstance(security, list) else ():
        if isinstance(requirement, dict):
            yield from requirement
