"""Documents that were made by hand, of random sizes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.conftest import make_document
from tests.hostile.documents import Document
from tests.hostile.texts import Texts
from tests.test_rust_odd_documents import ODD, USUAL
from tests.test_text_growth import near_misses

_SERVED = "x-kubernetes-group-version-kind"


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/{name}"}


def _kind(name: str, properties: dict[str, Any]) -> Document:
    served = [{"group": "x.io", "version": "v1", "kind": name}]
    return {"type": "object", "properties": properties, _SERVED: served}


def ring(source: random.Random, texts: Texts) -> Document:
    """Definitions of which each refers to the next, and the last to the first."""
    size = source.randrange(1, 60)
    return {
        f"x.v1.R{i}": _kind(f"R{i}", {"next": _reference(f"x.v1.R{(i + 1) % size}")})
        | ({"required": ["next"]} if source.random() < 0.5 else {})
        for i in range(size)
    }


def _chain(source: random.Random, texts: Texts) -> Document:
    size = source.randrange(1, 150)
    links = {
        f"x.v1.C{i}": {
            "type": "object",
            "properties": {"a": _reference(f"x.v1.C{i + 1}")},
        }
        for i in range(size)
    }
    return {**links, f"x.v1.C{size}": {"type": "string"}}


def _net(source: random.Random, texts: Texts) -> Document:
    """Definitions that all refer to all others."""
    names = [f"x.v1.N{i}" for i in range(source.randrange(2, 14))]
    fields = {name[5:].lower(): _reference(name) for name in names}
    required = [field for field in fields if source.random() < 0.2]
    return {name: _kind(name[5:], fields) | {"required": required} for name in names}


def _wide(source: random.Random, texts: Texts) -> Document:
    count = source.choice((1, 30, 400))
    fields = {texts.name(): {"type": "string"} for _ in range(count)}
    return {"x.v1.Wide": _kind("Wide", fields)}


def _long_texts(source: random.Random, texts: Texts) -> Document:
    start, unit, end = source.choice([*near_misses()])
    text = start + unit * (source.choice((100, 5_000, 30_000)) // len(unit)) + end
    fields = {
        "a": {"type": "string", "description": text, "default": text},
        "b": {"type": "string", "enum": [text, "x"], "pattern": text[:2000]},
        text[:190]: {"type": "integer", "title": text},
    }
    return {"x.v1.Long": _kind("Long", fields) | {"description": text}}


def _odd_types(source: random.Random, texts: Texts) -> Document:
    """Definitions that Kubernetes has, and that are something else."""
    return USUAL | ODD[source.choice([*ODD])] | ODD[source.choice([*ODD])]


def _same_names(source: random.Random, texts: Texts) -> Document:
    """Names that become one in some language, or on some disk."""
    fields = {
        name: {"type": source.choice(("string", "object", "array"))}
        for name in (
            "a-b",
            "aB",
            "a_b",
            "ab",
            "AB",
            "a.b",
            "a b",
            "class",
            "Class",
            "_a",
        )
        if source.random() < 0.6
    }
    definitions = {
        name: _kind(source.choice(("Thing", "thing", "THING")), fields)
        for name in ("x.v1.Thing", "x.v1.thing", "y.v1.Thing", "x.v2.Thing", "v1.Thing")
        if source.random() < 0.6
    }
    return definitions | {"x.v1.Other": _kind("Other", {"a": {"type": "string"}})}


def _many_kinds(source: random.Random, texts: Texts) -> Document:
    served = [
        {
            "group": source.choice(("", "x.io", texts.text())),
            "version": f"v{i}",
            "kind": "A",
        }
        for i in range(source.randrange(1, 40))
    ]
    fields = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    return {"x.v1.A": _kind("A", fields) | {_SERVED: served}}


def _inline(source: random.Random, texts: Texts) -> Document:
    """Objects within objects, without names."""

    def schema(depth: int) -> Any:
        if depth == 0:
            return {"type": "string", "description": texts.text()}
        return {
            "type": "object",
            "properties": {name: schema(depth - 1) for name in ("a", texts.name())},
        }

    return {"x.v1.In": _kind("In", {"spec": schema(source.randrange(1, 6))})}


_MAKERS: tuple[Callable[[random.Random, Texts], Document], ...] = (
    ring, _chain, _net, _wide, _long_texts, _long_texts, _odd_types, _same_names,
    _many_kinds, _inline,
)  # fmt: skip


def handmade(texts: Texts) -> Document:
    """One of the documents."""
    return make_document(texts.source.choice(_MAKERS)(texts.source, texts))
