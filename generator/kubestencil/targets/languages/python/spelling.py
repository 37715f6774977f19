"""Python names for definitions and fields: classes, modules, attributes.

The names are those of Kubernetes' Python clients, which are generated in two steps:
kubernetes-client/gen shortens the names of the definitions, openapi-generator turns
them into classes and attributes. Users' code depends on the names, so both steps are
reproduced, with the differences between the versions of openapi-generator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from keyword import iskeyword
from typing import Any, Literal, get_args

from kubestencil.engine.manifest import Target
from kubestencil.engine.manifest_files import Table
from kubestencil.errors import SpecError
from kubestencil.schema import Field
from kubestencil.schema.well_known import is_built_in
from kubestencil.text.unique_names import free_names

#: How a run of capitals is divided into words: "split" gives pod_cid_rs for podCIDRs,
#: "whole" gives pod_cidrs.
Acronyms = Literal["split", "whole"]

ACRONYMS: tuple[Acronyms, ...] = get_args(Acronyms)

_SEPARATOR = re.compile(r"[._-]")
# What becomes an underscore in an attribute (DefaultCodegen.sanitizeName); other
# characters are left out.
_SEPARATORS = re.compile(r"[-./ :|(\[\\]")
_NOT_WORD = re.compile(r"[^A-Za-z0-9_]")
# Where a word of a name ends: after a lower-case letter, and where a run of capitals
# ends. For the latter, openapi-generator 4 requires one lower-case letter after the
# last capital, later versions require two (OpenAPITools/openapi-generator,
# StringUtils.underscore).
_WORD_END: Mapping[Acronyms, re.Pattern[str]] = {
    "split": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"),
    "whole": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z][a-z])"),
}

# Words that cannot be attributes, besides Python's keywords: openapi-generator's
# python generator lists the keywords of Python 2 and its own local variables
# (AbstractPythonCodegen, setReservedWordsLowerCase).
_RESERVED = frozenset(
    [
        "all_params", "auth_settings", "body_params", "exec", "false", "form_params",
        "header_params", "local_var_files", "none", "nonlocal", "path_params", "print",
        "property", "query_params", "resource_path", "self", "true",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a target spells names: the table ``[spelling]`` of its ``target.toml``.

    ``acronyms`` says how capitals are divided into words. ``reserved_prefix`` goes
    before a name that is reserved or begins with a digit. ``mapped`` has attributes
    for JSON names, as the name mappings of openapi-generator. ``reserved`` and
    ``reserved_classes`` are the attributes and classes that generated code itself
    uses.
    """

    acronyms: Acronyms = "split"
    reserved_prefix: str = "_"
    mapped: Mapping[str, str] = dataclass_field(default_factory=dict)
    reserved: frozenset[str] = frozenset()
    reserved_classes: frozenset[str] = frozenset()

    def attribute(self, json_name: str) -> str:
        """The attribute for a JSON name: ``pod_ip`` for ``podIP``.

        Without an entry in ``mapped``, the result is an identifier for every name.
        """
        mapped = self.mapped.get(json_name)
        if mapped:
            return mapped
        name = _attribute(json_name, self.acronyms, self.reserved_prefix)
        return f"{self.reserved_prefix}{name}" if name in self.reserved else name


# The keys of [spelling], each with the type of its value.
_KEYS: Mapping[str, type] = {
    "acronyms": str,
    "reserved_prefix": str,
    "mapped": dict,
    "reserved": list,
    "reserved_classes": list,
}


def read_spelling(target: Target) -> Spelling:
    """Read the table ``[spelling]`` of a target; its keys are the fields of Spelling.

    Raises TargetError for an unknown key or a value of the wrong type.
    """
    table = Table(target.spelling, target.manifest, _KEYS, "spelling.")
    for key, value in table.raw.items():
        if not _has_only_strings(value):
            raise table.error("must have strings only", key)
    return Spelling(
        acronyms=table.choice("acronyms", ACRONYMS) or "split",
        reserved_prefix=table.get("reserved_prefix", "_"),
        mapped=table.get("mapped", {}),
        reserved=frozenset(table.get("reserved", ())),
        reserved_classes=frozenset(table.get("reserved_classes", ())),
    )


def _has_only_strings(value: str | list[Any] | dict[str, Any]) -> bool:
    members = value.values() if isinstance(value, dict) else value
    return all(isinstance(member, str) for member in members)


def _attribute(json_name: str, acronyms: Acronyms, reserved_prefix: str) -> str:
    if json_name == "$":
        json_name = "value"
    words = _SEPARATORS.sub("_", json_name.replace("$", "").replace("[]", ""))
    name = snake_case(_NOT_WORD.sub("", words), acronyms).lstrip("_")
    if iskeyword(name) or name in _RESERVED or not name.isidentifier():
        return f"{reserved_prefix}{name}"
    return name


def snake_case(name: str, acronyms: Acronyms) -> str:
    """``node_port`` for ``nodePort``."""
    return _WORD_END[acronyms].sub("_", name).lower()


def attribute_names(fields: Iterable[Field], spelling: Spelling) -> Mapping[str, str]:
    """The attribute of each field, by JSON name: ``proxy_url`` and ``proxy_url_8f3e`` for
    proxyURL and proxyUrl."""
    return free_names({field.name: spelling.attribute(field.name) for field in fields})


def module_name(class_name: str, acronyms: Acronyms) -> str:
    """The module of a class: ``v1_pod`` for ``V1Pod``."""
    module = snake_case(class_name, acronyms)
    return f"model_{module}" if iskeyword(module) else module


def class_names(
    definitions: Iterable[str], reserved: frozenset[str] = frozenset()
) -> Mapping[str, str]:
    """The class of each definition: ``V1Pod`` for ``io.k8s.api.core.v1.Pod``.

    Names of Kubernetes' own definitions are shortened to version and kind; as long as
    two would be equal, they keep one more part (kubernetes-client/gen,
    ``remove_model_prefixes``). Others keep their full name. A name in ``reserved``
    gets the prefix ``Model``. Raises SpecError where two definitions get the same
    class, or two that differ only in case, which some file systems ignore.
    """
    classes: dict[str, str] = {}
    owners: dict[str, str] = {}
    for definition, short in short_names(definitions).items():
        name = class_name(short, reserved)
        other = owners.setdefault(name.casefold(), definition)
        if other != definition:
            raise SpecError(
                f"two definitions get the name {name}: {other} and {definition}",
                hint="rename one of them in the spec",
            )
        classes[definition] = name
    return classes


def class_name(short: str, reserved: frozenset[str] = frozenset()) -> str:
    """``V1Pod`` for ``v1.Pod``; always an identifier that is no keyword.

    A name in ``reserved`` gets the prefix ``Model``.
    """
    name = "".join(part[:1].upper() + part[1:] for part in _SEPARATOR.split(short))
    if iskeyword(name) or not name.isidentifier() or name in reserved:
        return f"Model{name}"
    return name


def short_names(
    definitions: Iterable[str], is_shortened: Callable[[str], bool] = is_built_in
) -> dict[str, str]:
    """The shortened name of each definition: ``v1.Pod``.

    ``is_shortened`` decides by the full name. The names of Kubernetes' own definitions
    do not depend on others.
    """
    # How many parts are split off from the right; 0 keeps the full name.
    splits = {name: 2 if is_shortened(name) else 0 for name in definitions}
    while True:
        short: dict[str, str] = {}
        owners: dict[str, list[str]] = {}
        for name, count in splits.items():
            short[name] = ".".join(name.rsplit(".", count)[1:]) if count else name
            owners.setdefault(short[name], []).append(name)
        ambiguous = [
            name
            for names in owners.values()
            if len(names) > 1
            for name in names
            if splits[name] and splits[name] <= name.count(".")
            if not is_built_in(name) or sum(map(is_built_in, names)) > 1
        ]
        if not ambiguous:
            return short
        for name in ambiguous:
            splits[name] += 1
