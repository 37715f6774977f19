"""YAML as the Kubernetes tools read it.

kubectl reads YAML with a Go library that takes some plain scalars for something
else than PyYAML does: 1e3 is a number, 12:30 and 2024-01-31 are texts, y and n
are truths. Reading follows it; a text is written in quotes where either library
would not read it as a text.
"""

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from yaml import SafeDumper, SafeLoader
else:
    # PyYAML may be without its C library.
    SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_BOOL = re.compile(
    r"(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON"
    r"|n|N|no|No|NO|false|False|FALSE|off|Off|OFF)\Z"
)
_TRUE = frozenset(["y", "yes", "true", "on"])
_INT = re.compile(
    r"[-+]?(?:0[bB]_?[01][01_]*|0[oO]?_?[0-7][0-7_]*|0|[1-9][0-9_]*"
    r"|0[xX]_?[0-9a-fA-F][0-9a-fA-F_]*)\Z"
)
_FLOAT = re.compile(
    r"(?:[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
_NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")
_MERGE = re.compile(r"<<\Z")
_TAG = "tag:yaml.org,2002:"


class _Loader(SafeLoader):
    # PyYAML's resolvers are inherited, and a class's own table replaces them.
    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, Any]:
        """A mapping whose keys are texts, as in JSON."""
        mapping = super().construct_mapping(node, deep=deep)
        return {_key(key): value for key, value in mapping.items()}


class _Dumper(SafeDumper):
    """Writes lists under their key and long texts as blocks, as people do."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _key(key: object) -> Hashable:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)


def _construct_bool(loader: _Loader, node: yaml.ScalarNode) -> bool:
    return node.value.lower() in _TRUE


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = node.value.replace("_", "").lower()
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return int(text, 8)
    return int(text, 0)


def _construct_float(loader: _Loader, node: yaml.ScalarNode) -> float:
    text = node.value.replace("_", "").lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar(f"{_TAG}str", text, style=style)


for _name, _pattern, _first in (
    ("bool", _BOOL, "yYnNtTfFoO"),
    ("int", _INT, "-+0123456789"),
    ("float", _FLOAT, "-+.0123456789"),
    ("null", _NULL, ["~", "n", "N", ""]),
    ("merge", _MERGE, "<"),
):
    _Loader.add_implicit_resolver(_TAG + _name, _pattern, list(_first))
    _Dumper.add_implicit_resolver(_TAG + _name, _pattern, list(_first))
_Loader.add_constructor(f"{_TAG}bool", _construct_bool)
_Loader.add_constructor(f"{_TAG}int", _construct_int)
_Loader.add_constructor(f"{_TAG}float", _construct_float)
_Dumper.add_representer(str, _represent_text)


def load_all(text: str | bytes) -> list[Any]:
    """The value of every document. Raises yaml.YAMLError."""
    return list(yaml.load_all(text, _Loader))


def dump_all(values: list[Any]) -> str:
    """The documents with these values, in block style."""
    text: str = yaml.dump_all(
        values,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        explicit_start=len(values) > 1,
    )
    return text
