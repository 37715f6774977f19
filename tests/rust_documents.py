"""Random JSON documents for types of a release: valid ones, and ones with mistakes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from kubestencil.schema import Release, Schema
from kubestencil.schema.types import reference_to

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_MISTAKES: Sequence[Any] = (
    None, [], {}, "", "x", 0, 1, -1, 1.5, True, 2**31, -(2**31) - 1, 2**63, 1e300, [None]
)  # fmt: skip
_TIMES = (
    "2020-01-02T03:04:05Z",
    "2020-01-02T03:04:05.678901234+02:00",
    "2020-01-02 03:04:05Z",
    "0001-01-01T00:00:00Z",
    "2020-01-02T03:04:60Z",
)
_QUANTITIES = ("1Gi", "100m", "", "1", 1, -1, 1.5, 1e21, 2**64, 0.0)
_STRINGS = ("a", "b", "c")


class Pairs(list[tuple[str, Any]]):
    """A JSON object that may have a key twice."""


class Documents:
    """Random documents; the same ones for the same seed."""

    def __init__(self, release: Release, seed: int) -> None:
        self.release = release
        self.random = random.Random(seed)

    def for_definition(self, name: str) -> str:
        """A document for a definition, as JSON text without a line break."""
        reference = reference_to(name)
        # Half of the documents have no mistake, since a reader refuses those that do.
        self.mistake_rate = self.random.choice((0.0, 0.0, 0.004, 0.02))
        return _json(self.value(reference, 0))

    def for_list(self, name: str) -> str:
        """A document for the list kind of a definition, such as PodList."""
        kind = name.rpartition(".")[2]
        count = self.random.choice((0, 1, 3))
        items = ",".join(self.for_definition(name) for _ in range(count))
        fields = {
            "apiVersion": self.random.choice(('"v1"', '"v1"', '"v2"', "null")),
            "kind": self.random.choice((f'"{kind}List"', f'"{kind}List"', f'"{kind}"')),
            "items": self.random.choice((f"[{items}]",) * 4 + ("null",)),
            "metadata": self.random.choice(
                ('{"resourceVersion":"1"}', "null", "{}", "[]")
            ),
        }
        return self.most_of(fields)

    def for_watch_event(self, name: str) -> str:
        """A document for a WatchEvent of a definition."""
        types = ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "OTHER")
        bookmark = '{"metadata":{"resourceVersion":"1"%s},"x":1}'
        objects = (
            self.for_definition(name),
            bookmark % "",
            bookmark % ',"annotations":{"a":"b"}',
            bookmark % ',"annotations":null',
            '{"kind":"Status","apiVersion":"v1","code":410}',
            '{"kind":"Status","code":"x"}',
            "{}",
            "null",
        )
        return self.most_of(
            {
                "type": json.dumps(self.random.choice(types)),
                "object": self.random.choice(objects),
                "more": "[1]",
            }
        )

    def most_of(self, fields: dict[str, str]) -> str:
        """An object with most of the fields, in random order."""
        chosen = [
            f'"{name}":{value}'
            for name, value in fields.items()
            if self.random.random() < 0.9
        ]
        self.random.shuffle(chosen)
        return f"{{{','.join(chosen)}}}"

    def value(self, schema: Schema, depth: int) -> Any:
        """A JSON value of a schema; ``depth`` is the number of values around it."""
        random = self.random
        if depth and random.random() < self.mistake_rate:
            return random.choice(_MISTAKES)
        if schema.ref is not None:
            return self.referenced(schema.ref, depth)
        if schema.type == "array":
            assert schema.items is not None
            return [
                self.value(schema.items, depth + 1)
                for _ in range(random.choice((0, 1, 2, 3)))
            ]
        if schema.values is not None:
            count = random.choice((0, 1, 2))
            return {
                key: self.value(schema.values, depth + 1)
                for key in random.sample(_STRINGS, count)
            }
        if schema.is_object:
            return self.object(schema, depth)
        return self.scalar(schema)

    def referenced(self, name: str, depth: int) -> Any:
        """A JSON value of a definition."""
        random = self.random
        kind = name.rpartition(".")[2]
        if kind == "Quantity":
            return random.choice(_QUANTITIES)
        if name in (f"{_META}.Time", f"{_META}.MicroTime"):
            return random.choice(_TIMES)
        if kind == "JSON":
            return random.choice(
                (1, "x", {"a": None, "b": {"c": 1}}, {"b": {"c": None}}, [1])
            )
        if kind.startswith("JSONSchemaPropsOr"):
            props = self.referenced(name.partition("Or")[0], depth + 1)
            other: dict[str, Any] = {
                "Array": [props],
                "Bool": True,
                "StringArray": ["a"],
            }
            return random.choice((props, other[kind.partition("Or")[2]]))
        schema = self.release.definitions[name].schema
        return self.value(schema, depth)

    def object(self, schema: Schema, depth: int) -> Pairs:
        """An object: some of its optional fields, in random order; with mistakes, without
        a required field, with a field twice, or with an unknown one."""
        random = self.random
        fields = Pairs()
        chance = 0.5 if depth < 3 else 0.25 if depth < 7 else 0.0
        for field in schema.fields:
            if field.required or random.random() < chance:
                if random.random() < self.mistake_rate * 4:
                    continue
                fields.append((field.name, self.value(field.schema, depth + 1)))
        assert isinstance(schema.raw, dict)
        kinds = schema.raw.get("x-kubernetes-group-version-kind", ())
        if kinds:
            group, version = kinds[0]["group"], kinds[0]["version"]
            constants = {
                "apiVersion": f"{group}/{version}" if group else version,
                "kind": kinds[0]["kind"],
            }
            fields = Pairs(
                (
                    name,
                    (
                        constants[name]
                        if name in constants and random.random() > self.mistake_rate
                        else value
                    ),
                )
                for name, value in fields
            )
        if random.random() < self.mistake_rate and fields:
            name, _ = random.choice(fields)
            other = next(field for field in schema.fields if field.name == name)
            fields.append((name, self.value(other.schema, depth + 1)))
        if random.random() < self.mistake_rate:
            fields.append(("unknownField", random.choice(_MISTAKES)))
        random.shuffle(fields)
        return fields

    def scalar(self, schema: Schema) -> Any:
        """A value of a schema without references, items, values and fields."""
        random = self.random
        if schema.type == "boolean":
            return random.choice((True, False))
        if schema.type == "integer":
            return random.choice((0, 1, -1, 2**31 - 1))
        if schema.type == "number":
            return random.choice((0, 1.5, -2, 1e300))
        if schema.format == "byte":
            return random.choice(("", "aGk=", "AA=="))
        if schema.int_or_string:
            return random.choice((0, 80, "http", "25%"))
        if schema.type == "string":
            return random.choice((*_STRINGS, "", 'ü\n\t"\\\u2028'))
        return random.choice(({}, {"a": 1}, {"a": {"b": None}}))


def _json(value: Any) -> str:
    if isinstance(value, Pairs):
        inside = ",".join(f"{json.dumps(k)}:{_json(v)}" for k, v in value)
        return f"{{{inside}}}"
    if isinstance(value, dict):
        return _json(Pairs(value.items()))
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    return json.dumps(value)
