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

#: The file with all definitions that the schemas of a folder refer to.
DEFINITIONS_FILE = "_definitions.json"

_MINOR = re.compile(r"v?(\d+\.\d+)\Z")
_PATCH = re.compile(r"v?(\d+\.\d+\.\d+)\Z")


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
    """One folder of schemas.

    ``suffix`` ends the name of the folder. With ``standalone``, schemas contain what
    they refer to; ``strict`` ones refuse unknown fields. ``prefix`` is the part of a
    reference before ``#``. ``published`` is false for what openapi2jsonschema does not
    print.
    """

    suffix: str
    standalone: bool
    strict: bool
    prefix: str
    published: bool = True


_FLAVOURS: Mapping[str, Flavour] = {
    "url": Flavour("", False, False, DEFINITIONS_FILE),
    "local": Flavour("-local", False, False, DEFINITIONS_FILE),
    "standalone": Flavour("-standalone", True, False, DEFINITIONS_FILE),
    "standalone-strict": Flavour("-standalone-strict", True, True, DEFINITIONS_FILE),
    "editor": Flavour("-editor", True, True, DEFINITIONS_FILE, published=False),
}


def kubernetes_version(release: str, target: Target, options: JsonSchemaOptions) -> str:
    """The version in the names of folders, such as ``v1.35.0``.

    It is ``release`` itself where that is no version of Kubernetes. Raises ``option_error``
    for a patch that is negative.
    """
    if options.patch < 0:
        raise target.option_error("must not be negative", "patch")
    if minor := _MINOR.match(release):
        return f"v{minor[1]}.{options.patch}"
    version = _PATCH.match(release)
    return f"v{version[1]}" if version else release


def chosen_flavours(
    target: Target, options: JsonSchemaOptions, version: str
) -> Mapping[str, Flavour]:
    """The flavours that the option ``flavours`` lists, by name.

    Raises ``option_error`` for an unknown flavour, and where none is listed.
    """
    names = [name.strip() for name in options.flavours.split(",")]
    for name in names:
        if name not in _FLAVOURS:
            raise target.option_error(
                f"unknown flavour {name!r}", "flavours", nearest(name, _FLAVOURS)
            )
    prefix = options.prefix.replace("{version}", version)
    flavours = {name: _FLAVOURS[name] for name in names}
    if "url" in flavours:
        flavours["url"] = flavours["url"]._replace(prefix=prefix)
    return flavours
