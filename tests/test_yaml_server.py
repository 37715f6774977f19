"""YAML as a real API server reads it: random texts in a custom resource that keeps all
fields.

Only the value is compared, not the texts of errors. No mapping has a key twice: the
server does not look into the first of two values, and may keep either of two keys that
become the same text (``1`` and ``"1"``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from kubestencil.source.yaml import YamlError, compose
from tests.api_server import Client

COUNT = 1500
# Integers beyond 63 bits are floats in custom resources.
_SCALARS = (
    "y", "n", "on", "Off", "~", "Null", "true", "x", "0644", "0o17", "0x1F", "0b11",
    "-0b11", "+0b1", "08", "1_000", "+1", "1e3", ".5", "1.", ".", "-x", "12:30:45",
    "2001-01-01", "1.10", "1e21", "1e20", "-0", "0.1", "1.5e300", "1e400", "_1", "1_",
    "0x_1", ".5_0", "._5", "-.5", "0b2", "0o8", "NULL", "yEs", "é", "=", "1e",
    "0x1p-2", "NaN", "+Inf", "0B11", "0O7", "123456.789", "16777217.0", "1e-5",
    "1000000.0", "-9223372036854775808", "'12'", '"a\\tb"', "'<<'", "''",
    "9223372036854775807",
)  # fmt: skip
_TAGGED = (
    "!!str 12", "!!int 3", "!!float 1", "!!bool y", "!!null ''", "!!binary aGk=", "!x y",
    "! 12", "!!timestamp 2001-01-01",
)  # fmt: skip
_INVALID = (".inf", ".nan", "!!int x", "!!binary x", "!!timestamp x", "!!merge <<")
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "texts.yaml.example.com"},
    "spec": {
        "group": "yaml.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Text", "plural": "texts", "listKind": "TextList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


class Texts:
    """Makes random texts of anchors, aliases, merges, tags and odd scalars."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.anchors: list[str] = []

    def text(self) -> str:
        """The fields of an object, in one flow mapping."""
        self.anchors.clear()
        size = self.random.randint(1, 5)
        return "".join(f"k{index}: {self.value(3)}\n" for index in range(size))

    def value(self, depth: int) -> str:
        if self.anchors and self.random.random() < 0.2:
            return f"*{self.random.choice(self.anchors)}"
        anchor = self.random.choice("abcd") if self.random.random() < 0.25 else ""
        kind = self.random.random() if depth else 0
        if kind < 0.4:
            text = self.scalar()
        elif kind < 0.75:
            # No key is repeated, whatever the scalar becomes.
            keys = self.random.sample(
                [*"pqrs", self.scalar()], self.random.randint(0, 4)
            )
            text = f"{{{', '.join(self.entry(key, depth) for key in keys)}}}"
        else:
            size = self.random.randint(0, 3)
            text = f"[{', '.join(self.value(depth - 1) for _ in range(size))}]"
        if anchor:
            self.anchors.append(anchor)
            return f"&{anchor} {text}"
        return text

    def entry(self, key: str, depth: int) -> str:
        choose = self.random
        if self.anchors and choose.random() < 0.25:
            aliases = [f"*{choose.choice(self.anchors)}" for _ in range(3)]
            is_list = choose.random() < 0.4
            return f"<<: {'[' + ', '.join(aliases) + ']' if is_list else aliases[0]}"
        return f"{key} : {self.value(depth - 1)}"

    def scalar(self) -> str:
        if self.random.random() < 0.01:
            return self.random.choice(_INVALID)
        return self.random.choice((*_SCALARS, *_TAGGED))


def texts_with_values() -> Iterator[tuple[str, Any]]:
    """Texts with the value of each, None where it cannot be read."""
    texts = Texts(13)
    for _ in range(COUNT):
        text = texts.text()
        try:
            document = compose(text, "x", 1)
        except YamlError:
            yield text, None
            continue
        assert document is not None
        yield text, document.value


@pytest.mark.nightly
def test_random_yaml_is_read_as_by_the_server(api_server: Client) -> None:
    api_server.install([CRD])
    head = "apiVersion: yaml.example.com/v1\nkind: Text\nmetadata: {name: a}\n"
    path = (
        "/apis/yaml.example.com/v1/namespaces/default/texts"
        "?dryRun=All&fieldValidation=Ignore"
    )
    counts = {True: 0, False: 0}
    for text, value in texts_with_values():
        data = f"{head}{text}".encode()
        reply = api_server.request("POST", path, data, "application/yaml")
        assert reply.accepted == (value is not None), (text, reply.message)
        if value is not None:
            fields = {key: reply.body.get(key) for key in value}
            assert is_same(fields, value), (text, fields, value)
        counts[reply.accepted] += 1
    assert min(counts.values()) > 100
    name = CRD["metadata"]["name"]  # type: ignore[index]
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert api_server.request("DELETE", f"{crds}/{name}").status == 200


def is_same(first: Any, second: Any) -> bool:
    """Whether two values of JSON are equal; true and 1 are not, 1 and 1.0 are."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            is_same(value, second[key]) for key, value in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_same, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)
