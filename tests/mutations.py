"""Seeded mutations of valid objects: the mistakes of people and programs, as text."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 80, 65536, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1,
    2**63 - 1, 2**63, 0.5, 1.0, -2.5, 1e3, 1e300, "", " ", "a", "A", "true", "yes", "1",
    "-1", "1.5", "0x1F", "é", "\u2028", "a" * 300, "null", [], {}, [None], {"a": None},
)  # fmt: skip
_TEXTS = (
    # Quantities, durations, times, base64, IP addresses, and what is nearly one.
    "100m", "1Gi", "1.5Gi", "1 Gi", "1gi", "Gi", "1e3", "1E3", "1E", "+1", "-1Mi", ".5",
    "1.", "0.0001", "1Ki1", "\u0661", "12345678901234567890", "1e400", "100%", "10s", "1h30m",
    "2024-01-31T12:00:00Z", "2024-01-31T12:00:00.123456Z", "2024-01-31T12:00:00+01:00",
    "2024-01-31t12:00:00z", "2024-01-31", "2024-02-30T12:00:00Z", "2024-01-31T24:00:00Z",
    "2024-01-31T12:00:00", "2024-01-31 12:00:00Z", "0000-01-01T00:00:00Z",
    "2024-01-31T12:00:60Z", "AAECAw==", "AAECAw", "AAE CAw==", "AA\nEC", "_-8=", "====",
    "QQ==", "QR==", "10.0.0.1", "::1", "10.0.0.0/8", "UPPER_case", "a.b/c", "-a-",
)  # fmt: skip
#: Scalars of YAML that its versions, and its libraries, read in different ways.
_YAML_SCALARS = (
    "y", "n", "yes", "No", "on", "OFF", "True", "~", "null", "Null", "0644", "0o644",
    "0x1F", "0b11", "1_000", "+1", "1e3", "1.5e3", ".5", "5.", ".inf", "-.INF", ".nan",
    "12:30:45", "190:20:30", "2024-01-31", "2024-01-31T12:00:00Z", "2024-01-31 12:00:00",
    "=", "1.2.3", "0.1e", "08", "-0", "!!str 1", "!!int '1'", "!!float 1",
    "!!binary AAEC", "''", "'1'", "0777_7", "9223372036854775808", "18446744073709551616",
)  # fmt: skip
_NAMES = ("spce", "Name", "unknown", "x-y", "", "a.b", "é", "0", "kind ", "$patch")


class Mutant(NamedTuple):
    """A text that was an object the server accepts, and what was changed in it.

    ``original`` is that object, ``value`` what it became; a scalar that is written as
    YAML only is missing in it. ``is_yaml`` says that the text is YAML, not JSON.
    """

    text: str
    is_yaml: bool
    original: Mapping[str, Any]
    value: Mapping[str, Any]
    changes: tuple[str, ...]


class _Twice(dict[str, Any]):
    """An object that is written with a second entry of one of its keys."""

    def __init__(self, value: dict[str, Any], key: str, second: Any) -> None:
        super().__init__(value)
        self._second = key, second

    def items(self) -> Any:
        return [*super().items(), self._second]


class Position(NamedTuple):
    """A value inside of an object: ``container[key]``."""

    path: str
    container: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.container[self.key]

    def replace(self, value: Any) -> str:
        self.container[self.key] = value
        return f"{self.path} = {json.dumps(value, default=str)[:80]}"


def mutants(objects: Sequence[Any], seed: int, count: int) -> Iterator[Mutant]:
    """``count`` mutants of ``objects``, each with one or two changes."""
    for index in range(count):
        yield mutant(objects, random.Random(f"{seed}/{index}"))


def is_marked(text: str) -> bool:
    """Whether a text stands for a scalar that is written as YAML only."""
    return "\ue000" in text


def mutant(objects: Sequence[Any], source: random.Random) -> Mutant:
    """A mutant of one of ``objects``."""
    original = source.choice(objects)
    root = {"": copy.deepcopy(original)}
    changes = []
    for _ in range(source.choice((1, 1, 1, 2))):
        change = source.choice(_CHANGES)
        changes.append(f"{change.__name__.strip('_')} {change(root, source)}")
    text = json.dumps(root[""], ensure_ascii=False)
    yaml_text = _MARK.sub(lambda match: _YAML_SCALARS[int(match[1])], text)
    return Mutant(
        yaml_text, not _is_json(yaml_text), original, root[""], tuple(changes)
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _replace_scalar(root: Any, source: random.Random) -> str:
    """Put another scalar, or an empty value, where a scalar is."""
    position = source.choice([*_leaves(root)])
    return position.replace(source.choice(SCALARS))


def _replace_text(root: Any, source: random.Random) -> str:
    """Put a text that is, or nearly is, of a known syntax where a scalar is."""
    position = source.choice([*_leaves(root)])
    return position.replace(source.choice(_TEXTS))


def _change_characters(root: Any, source: random.Random) -> str:
    """Change a character of a string."""
    strings = [*_of_type(root, str)]
    if not strings:
        return "nothing"
    position = source.choice(strings)
    text = position.value
    index = source.randrange(len(text) + 1)
    new = source.choice(["", "x", "X", "-", "\n", ".", " "])
    return position.replace(text[:index] + new + text[index + 1 :])


def _change_number(root: Any, source: random.Random) -> str:
    """Put another number where a number is."""
    numbers = [*_of_type(root, (int, float))]
    if not numbers:
        return "nothing"
    numbers_pool = [value for value in SCALARS if type(value) in (int, float)]
    return source.choice(numbers).replace(source.choice(numbers_pool))


def _write_scalar_as_yaml(root: Any, source: random.Random) -> str:
    """Put a scalar of YAML that is no JSON where a scalar is."""
    index = source.randrange(len(_YAML_SCALARS))
    position = source.choice([*_leaves(root)])
    position.replace(f"\ue000{index}\ue001")
    return f"{position.path} = {_YAML_SCALARS[index]}"


def _replace_structure(root: Any, source: random.Random) -> str:
    """Put a scalar where an object or list is, or wrap a value, or unwrap it."""
    position = source.choice([*positions(root[""])])
    value = position.value
    choices = [[value], {"value": value}, None, "text", {}, []]
    if isinstance(value, list) and value:
        choices.append(value[0])
    if isinstance(value, dict) and value:
        choices.append(source.choice([*value.values()]))
    return position.replace(source.choice(choices))


def _delete(root: Any, source: random.Random) -> str:
    """Leave out a field or an item."""
    position = source.choice([*positions(root[""])])
    del position.container[position.key]
    return position.path


def _rename(root: Any, source: random.Random) -> str:
    """Misspell the name of a field."""
    position = source.choice([*_fields(root)])
    name = position.key
    value = position.container.pop(name)
    index = source.randrange(max(1, len(name)))
    new = source.choice(
        [
            name[:index] + name[index + 1 :],
            name[:index] + name[index : index + 1].swapcase() + name[index + 1 :],
            name[:index] + name[index : index + 1] + name[index:],
            name + "s",
            name.capitalize(),
            "".join(
                f"_{letter.lower()}" if letter.isupper() else letter for letter in name
            ),
        ]
    )
    position.container[new] = value
    return f"{position.path} -> {new}"


def _add_field(root: Any, source: random.Random) -> str:
    """Add a field that the object does not have."""
    position = source.choice([*_of_type(root, dict)])
    name = source.choice(_NAMES)
    position.value[name] = source.choice(SCALARS)
    return f"{position.path}.{name} = {position.value[name]!a}"


def _move_field(root: Any, source: random.Random) -> str:
    """Move a field to another object, as a wrong indentation does."""
    position = source.choice([*_fields(root)])
    value = position.container.pop(position.key)
    target = source.choice([*_of_type(root, dict)])
    target.value[position.key] = value
    return f"{position.path} -> {target.path}"


def _repeat_key(root: Any, source: random.Random) -> str:
    """Write a field twice."""
    objects = [position for position in _of_type(root, dict) if position.value]
    position = source.choice(objects)
    key = source.choice([*position.value])
    second = source.choice([position.value[key], "second", None])
    position.replace(_Twice(position.value, key, second))
    return f"{position.path}.{key}"


def _repeat_item(root: Any, source: random.Random) -> str:
    """Write an item of a list twice."""
    lists = [position for position in _of_type(root, list) if position.value]
    if not lists:
        return "nothing"
    position = source.choice(lists)
    position.value.append(copy.deepcopy(source.choice(position.value)))
    return position.path


def _change_kind(root: Any, source: random.Random) -> str:
    """Use another version or kind."""
    value = root[""]
    if source.random() < 0.5:
        value["apiVersion"] = source.choice(
            [
                "v1",
                "apps/v1beta1",
                "extensions/v1beta1",
                "v1beta1",
                "apps/v2",
                "",
            ]
        )
        return str(value["apiVersion"])
    value["kind"] = source.choice(["pod", "Pods", "Deployment", "List", "Unknown", ""])
    return str(value["kind"])


_MARK = re.compile('"\ue000([0-9]+)\ue001"')
_CHANGES: tuple[Callable[[Any, random.Random], str], ...] = (
    _replace_scalar,
    _replace_scalar,
    _replace_text,
    _replace_text,
    _change_characters,
    _change_number,
    _write_scalar_as_yaml,
    _replace_structure,
    _delete,
    _delete,
    _rename,
    _rename,
    _add_field,
    _move_field,
    _repeat_key,
    _repeat_item,
    _change_kind,
)


def positions(container: Any, path: str = "") -> Iterator[Position]:
    """All values inside of a container, at any depth, outer ones first."""
    keys = range(len(container)) if isinstance(container, list) else [*container]
    for key in keys:
        inner = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        inner = inner.removeprefix("..").removeprefix(".")
        yield Position(inner, container, key)
        if isinstance(container[key], (dict, list)):
            yield from positions(container[key], inner)


def _leaves(root: Any) -> Iterator[Position]:
    return (p for p in positions(root) if not isinstance(p.value, (dict, list)))


def _of_type(root: Any, types: Any) -> Iterator[Position]:
    return (
        position
        for position in positions(root)
        if isinstance(position.value, types) and not isinstance(position.value, bool)
    )


def _fields(root: Any) -> Iterator[Position]:
    """The fields of objects, those of the object itself first."""
    return (p for p in positions(root[""]) if isinstance(p.container, dict))
