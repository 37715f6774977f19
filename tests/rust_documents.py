"""Documents that a type may and may not have, made from the spec."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from kubestencil.schema import Release, Schema

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_WRONG: Sequence[Any] = (
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
_FEW = ("a", "b", "c")


class Pairs(list[tuple[str, Any]]):
    """An object in which a key may come twice."""


class Documents:
    """Random documents, the same ones for the same seed."""

    def __init__(self, release: Release, seed: int) -> None:
        self.release = release
        self.random = random.Random(seed)

    def of(self, name: str) -> str:
        """A document for a definition, as JSON text without a line break."""
        schema = Schema.__new__(
            Schema, {}, None, None, "", name, None, None, ()
        )  # fmt: skip
        # Half of the documents have no mistake, else few would be read.
        self.wrong = self.random.choice((0.0, 0.0, 0.004, 0.02))
        return _json(self.value(schema, 0))

    def list_of(self, name: str) -> str:
        """A list of what a definition describes, such as PodList."""
        kind, items = name.rpartition(".")[2], [
            self.of(name) for _ in range(self.random.choice((0, 1, 3)))
        ]
        fields = {
            "apiVersion": self.random.choice(('"v1"', '"v1"', '"v2"', "null")),
            "kind": self.random.choice((f'"{kind}List"', f'"{kind}List"', f'"{kind}"')),
            "items": self.random.choice((f"[{','.join(items)}]",) * 4 + ("null",)),
            "metadata": self.random.choice(
                ('{"resourceVersion":"1"}', "null", "{}", "[]")
            ),
        }
        return self.some(fields)

    def event(self, name: str) -> str:
        """An event of a watch."""
        types = ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "OTHER")
        bookmark = '{"metadata":{"resourceVersion":"1"%s},"x":1}'
        objects = (
            self.of(name),
            bookmark % "",
            bookmark % ',"annotations":{"a":"b"}',
            bookmark % ',"annotations":null',
            '{"kind":"Status","apiVersion":"v1","code":410}',
            '{"kind":"Status","code":"x"}',
            "{}",
            "null",
        )
        return self.some(
            {
                "type": json.dumps(self.random.choice(types)),
                "object": self.random.choice(objects),
                "more": "[1]",
            }
        )

    def some(self, fields: dict[str, str]) -> str:
        """An object with most of the fields, in any order."""
        chosen = [
            f'"{name}":{value}'
            for name, value in fields.items()
            if self.random.random() < 0.9
        ]
        self.random.shuffle(chosen)
        return f"{{{','.join(chosen)}}}"

    def value(self, schema: Schema, depth: int) -> Any:
        choose = self.random
        if depth and choose.random() < self.wrong:
            return choose.choice(_WRONG)
        if schema.ref is not None:
            return self.referred(schema.ref, depth)
        if schema.type == "array":
            assert schema.items is not None
            return [
                self.value(schema.items, depth + 1)
                for _ in range(choose.choice((0, 1, 2, 3)))
            ]
        if schema.values is not None:
            count = choose.choice((0, 1, 2))
            return {
                key: self.value(schema.values, depth + 1)
                for key in choose.sample(_FEW, count)
            }
        if schema.is_object:
            return self.object(schema, depth)
        return self.plain(schema)

    def referred(self, name: str, depth: int) -> Any:
        choose, kind = self.random, name.rpartition(".")[2]
        if kind == "Quantity":
            return choose.choice(_QUANTITIES)
        if name in (f"{_META}.Time", f"{_META}.MicroTime"):
            return choose.choice(_TIMES)
        if kind == "JSON":
            return choose.choice(
                (1, "x", {"a": None, "b": {"c": 1}}, {"b": {"c": None}}, [1])
            )
        if kind.startswith("JSONSchemaPropsOr"):
            props = self.referred(name.partition("Or")[0], depth + 1)
            other = {"Array": [props], "Bool": True, "StringArray": ["a"]}
            return choose.choice((props, other[kind.partition("Or")[2]]))
        schema = self.release.definitions[name].schema
        return self.value(schema, depth)

    def object(self, schema: Schema, depth: int) -> Pairs:
        choose = self.random
        fields = Pairs()
        chance = 0.5 if depth < 3 else 0.25 if depth < 7 else 0.0
        for field in schema.fields:
            if field.required or choose.random() < chance:
                if choose.random() < self.wrong * 4:
                    continue
                fields.append((field.name, self.value(field.schema, depth + 1)))
        kinds = schema.raw.get("x-kubernetes-group-version-kind", ())
        if kinds:
            group, version = kinds[0]["group"], kinds[0]["version"]
            served = {
                "apiVersion": f"{group}/{version}" if group else version,
                "kind": kinds[0]["kind"],
            }
            fields = Pairs(
                (
                    name,
                    (
                        served[name]
                        if name in served and choose.random() > self.wrong
                        else value
                    ),
                )
                for name, value in fields
            )
        if choose.random() < self.wrong and fields:
            name, _ = choose.choice(fields)
            other = next(field for field in schema.fields if field.name == name)
            fields.append((name, self.value(other.schema, depth + 1)))
        if choose.random() < self.wrong:
            fields.append(("unknownField", choose.choice(_WRONG)))
        choose.shuffle(fields)
        return fields

    def plain(self, schema: Schema) -> Any:
        choose = self.random
        if schema.type == "boolean":
            return choose.choice((True, False))
        if schema.type == "integer":
            return choose.choice((0, 1, -1, 2**31 - 1))
        if schema.type == "number":
            return choose.choice((0, 1.5, -2, 1e300))
        if schema.format == "byte":
            return choose.choice(("", "aGk=", "AA=="))
        if schema.int_or_string:
            return choose.choice((0, 80, "http", "25%"))
        if schema.type == "string":
            return choose.choice((*_FEW, "", 'ü\n\t"\\\u2028'))
        return choose.choice(({}, {"a": 1}, {"a": {"b": None}}))


def _json(value: Any) -> str:
    if isinstance(value, Pairs):
        inside = ",".join(f"{json.dumps(k)}:{_json(v)}" for k, v in value)
        return f"{{{inside}}}"
    if isinstance(value, dict):
        return _json(Pairs(value.items()))
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    return json.dumps(value)
