"""The flavours of the JSON Schemas: a folder each, named after the release.

They are those of https://github.com/yannh/kubernetes-json-schema (``build.sh``), where
kubeconform looks for ``v1.35.0-standalone-strict``, and ``editor``, which has what the
API server knows of values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.errors import nearest

_VERSION = re.compile(r"v?(\d+\.\d+)(\.\d+)?\Z")


@dataclass(frozen=True, slots=True)
class JsonSchemaOptions:
    """The options of the view ``jsonschema``.

    ``flavours`` are names, separated by commas, and ``patch`` is the last number in the
    names of their folders. ``prefix`` is what references of the flavour ``url`` begin
    with, where "{version}" is the name of the folder. With ``recursive``, kinds that
    contain themselves have standalone schemas, too. ``custom_resources`` says whether
    those of custom resources are what CRDs-catalog publishes.
    """

    flavours: str
    patch: int
    prefix: str
    recursive: bool
    custom_resources: Literal["correct", "crds-catalog"]


class Flavour(NamedTuple):
    """A flavour of the schemas of Kubernetes' own kinds.

    ``name`` is its folder. ``standalone`` schemas contain what they refer to, ``strict``
    ones refuse unknown fields. ``published`` ones have the names and bytes of
    kubernetes-json-schema; others have enums, defaults and limits. ``prefix`` is the part
    of a reference before ``#``: the file with all definitions.
    """

    name: str
    standalone: bool
    strict: bool
    published: bool = True
    prefix: str = "_definitions.json"


_FLAVOURS: Mapping[str, Flavour] = {
    "url": Flavour("{version}", False, False),
    "local": Flavour("{version}-local", False, False),
    "standalone": Flavour("{version}-standalone", True, False),
    "standalone-strict": Flavour("{version}-standalone-strict", True, True),
    "editor": Flavour("{version}-editor", True, True, published=False),
}


def kubernetes_version(release: str, target: Target, options: JsonSchemaOptions) -> str:
    """The version in the names of folders, such as ``v1.35.0``.

    It is ``release`` itself where that is no version of Kubernetes. Raises ``option_error``
    for a patch that is negative.
    """
    if options.patch < 0:
        raise target.option_error("must not be negative", "patch")
    version = _VERSION.match(release)
    return f"v{version[1]}{version[2] or f'.{options.patch}'}" if version else release


def chosen_flavours(
    target: Target, options: JsonSchemaOptions, version: str
) -> tuple[Flavour, ...]:
    """The flavours that the option ``flavours`` lists.

    Raises ``option_error`` for an unknown flavour, and where none is listed.
    """
    flavours: dict[str, Flavour] = {}
    for name in map(str.strip, options.flavours.split(",")):
        if name not in _FLAVOURS:
            raise target.option_error(
                f"unknown flavour {name!r}", "flavours", nearest(name, _FLAVOURS)
            )
        flavour = _FLAVOURS[name]
        prefix = options.prefix if name == "url" else flavour.prefix
        flavours[name] = flavour._replace(
            name=flavour.name.replace("{version}", version),
            prefix=prefix.replace("{version}", version),
        )
    return tuple(flavours.values())
