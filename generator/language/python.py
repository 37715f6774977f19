"""Names as Kubernetes' Python clients have them.

The clients are made by kubernetes-client/gen (which shortens the names of the
definitions) and openapi-generator (which spells classes and attributes). Code in
the world depends on the names, so both are reproduced, release by release of
openapi-generator where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from keyword import iskeyword

from generator.errors import SpecError

_SEPARATOR = re.compile(r"[._-]")
_NOT_WORD = re.compile(r"[^A-Za-z0-9_]")
# Where one word of a name ends and the next begins: after a small letter, and where
# a run of capitals ends. For that openapi-generator 4 wants one small letter after
# the last capital (podCIDRs is pod_cid_rs), later ones want two (pod_cidrs).
# OpenAPITools/openapi-generator, StringUtils.underscore.
_WORD_END = {
    "split": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"),
    "whole": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z][a-z])"),
}

# Words that an attribute may not have beside Python's own: openapi-generator's
# python generator lists what Python 2 reserved, and the names of its locals.
_RESERVED = frozenset(
    [
        "all_params",
        "auth_settings",
        "body_params",
        "exec",
        "form_params",
        "header_params",
        "local_var_files",
        "nonlocal",
        "path_params",
        "print",
        "query_params",
        "resource_path",
        "self",
    ]
)

#: The acronym rules by name, for ``target.toml``.
ACRONYMS = tuple(_WORD_END)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one release of openapi-generator spells attributes.

    ``acronyms`` is "split" or "whole"; ``reserved_prefix`` goes before a
    reserved word or a digit; ``mapped`` has the JSON names whose attributes the
    client's project gave by hand.
    """

    acronyms: str = "split"
    reserved_prefix: str = "_"
    mapped: Mapping[str, str] = field(default_factory=dict)

    def attribute(self, name: str) -> str:
        """The attribute for a JSON name: ``podIP`` is ``pod_ip``.

        Always an identifier, whatever the name is.
        """
        mapped = self.mapped.get(name)
        return mapped or _attribute(name, self.acronyms, self.reserved_prefix)


@cache
def _attribute(name: str, acronyms: str, reserved_prefix: str) -> str:
    words = name.replace("$", "").replace("-", "_").replace(".", "_")
    words = words.replace("/", "_").replace(" ", "_")
    plain = snake_case(_NOT_WORD.sub("", words), acronyms).lstrip("_")
    if iskeyword(plain) or plain in _RESERVED or not plain.isidentifier():
        return f"{reserved_prefix}{plain}"
    return plain


@cache
def snake_case(name: str, acronyms: str) -> str:
    """``nodePort`` as ``node_port``; ``acronyms`` as in ``Spelling``."""
    return _WORD_END[acronyms].sub("_", name).lower()


def class_names(definitions: Iterable[str]) -> Mapping[str, str]:
    """The class of each definition: ``io.k8s.api.core.v1.Pod`` is ``V1Pod``.

    Kubernetes' own definitions are shortened to version and kind, and keep one
    part more as long as two would be the same (kubernetes-client/gen,
    ``remove_model_prefixes``); others keep their whole name. Raises SpecError
    where two definitions get the same class.
    """
    return _class_names(tuple(definitions))


# Several targets print the same release.
@cache
def _class_names(definitions: tuple[str, ...]) -> Mapping[str, str]:
    classes: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, short in _short_names(definitions).items():
        spelled = class_name(short)
        other = taken.setdefault(spelled.casefold(), name)
        if other != name:
            raise SpecError(
                f"two definitions get the name {spelled}: {other} and {name}",
                hint="rename one of them in the document",
            )
        classes[name] = spelled
    return classes


def class_name(short: str) -> str:
    """``v1.Pod`` as ``V1Pod``; always an identifier that Python does not reserve."""
    spelled = "".join(part[:1].upper() + part[1:] for part in _SEPARATOR.split(short))
    if iskeyword(spelled) or not spelled.isidentifier():
        return f"Model{spelled}"
    return spelled


def _short_names(definitions: Iterable[str]) -> dict[str, str]:
    parts = {name: (2 if name.startswith("io.k8s") else 0) for name in definitions}
    while True:
        short: dict[str, str] = {}
        owners: dict[str, list[str]] = {}
        for name, count in parts.items():
            short[name] = ".".join(name.rsplit(".", count)[1:]) if count else name
            owners.setdefault(short[name], []).append(name)
        longer = [
            name
            for names in owners.values()
            if len(names) > 1
            for name in names
            if parts[name] and parts[name] <= name.count(".")
        ]
        if not longer:
            return short
        for name in longer:
            parts[name] += 1
