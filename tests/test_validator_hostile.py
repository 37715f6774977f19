"""What a stranger's manifest can do to a validator: nothing but be refused."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.conftest import load
from tests.manifests import manifests
from tests.mutations import Position, positions
from tests.test_starters import values as starters
from tests.validators import built_validator

pytestmark = pytest.mark.server

_COUNT = 1_000
# As long as the slowest of all that end by themselves, several times.
_SECONDS = 3.0
# Texts that are written as they are, so that the text of an object may be no JSON.
_RAW = (
    "NaN", "Infinity", "1e999999999", "-1e-999999999", "9" * 5_000, "0x10", "00", "+1",
    "[" * 20_000, '{"a":' * 20_000, '"\\ud800"', '"\\u0000"', '{"a":1,"a":2}', "\0", "'",
)  # fmt: skip
_TEXTS = (
    "\0", "a\0b", "\ud7ff\ue000", "\u202eabc", "e\u0301" * 1_000, "\U0010ffff" * 100,
    "\ufeff", "x" * 100_000, "x" * 300_000, "%s%n%d", "../" * 1_000, "${" * 1_000,
    "(" * 10_000, "(a+)+$" * 100, "self.all(x, self.all(y, x == y))", "1" * 100_000,
    "9" * 400 + "Gi", "1e-400", "-0", "9999999999999999999999h", "\n" * 10_000,
    "::ffff:10.0.0.1", "/" * 5_000, "," * 5_000, "a." * 5_000, "http://[::1",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    2**63, -(2**63) - 1, 2**64, 10**400, 1e308, 5e-324, -0.0, True, None, "", [], {},
    [[]] * 5_000, [{}] * 10_000, [None] * 20_000,
    {str(number): "" for number in range(5_000)}, {"": {"": ""}}, {"x" * 100_000: "x" * 9},
)  # fmt: skip

Change = Callable[[Position, random.Random], None]


def _put_text(position: Position, source: random.Random) -> None:
    position.replace(source.choice(_TEXTS))


def _put_value(position: Position, source: random.Random) -> None:
    position.replace(source.choice(_VALUES))


def _put_raw(position: Position, source: random.Random) -> None:
    position.replace(f"\ue000{source.choice(_RAW)}\ue001")


def _nest(position: Position, source: random.Random) -> None:
    """Put the value into so many objects, or lists, of itself."""
    value = position.value
    in_lists = source.random() < 0.5
    for _ in range(source.choice((10, 100, 400))):
        value = [value] if in_lists else {"properties": value}
    position.replace(value)


def _repeat(position: Position, source: random.Random) -> None:
    """Put many of a list's items, or a list of a value, in its place."""
    value = position.value
    items = value if isinstance(value, list) and value else [value]
    size = len(json.dumps(items))
    count = min(source.choice((100, 5_000, 30_000)), 400_000 // (size + 1))
    position.replace(items * max(1, count // len(items)))


_CHANGES: tuple[Change, ...] = (_put_text, _put_value, _put_raw, _nest, _repeat)


class _Hostile(Request):
    """A request of a text that may be no JSON."""

    def line(self, prepared: str = "") -> bytes:
        text = json.dumps({"operation": self.operation, "object": self.object})
        head, *parts = text.split('"\\ue000')
        raw = (part.split('\\ue001"', 1) for part in parts)
        return (head + "".join(json.loads(f'"{a}"') + b for a, b in raw)).encode(
            errors="surrogatepass"
        ) + b"\n"


def _hostile(objects: list[Mapping[str, Any]]) -> Iterator[Request]:
    for index in range(_COUNT):
        source = random.Random(f"hostile/{index}")
        value = copy.deepcopy(source.choice(objects))
        for _ in range(source.choice((1, 1, 2))):
            # Changes multiply: what is large already is not changed again.
            if len(json.dumps(value)) < 50_000:
                position = source.choice([*positions(value)])
                source.choice(_CHANGES)(position, source)
        yield _Hostile(source.choice(("create", "create", "default")), value)


@pytest.mark.nightly
def test_hostile_objects_are_answered_in_time_and_briefly() -> None:
    objects = [*manifests(), *starters(load("1.35")).values()]
    started = time.monotonic()
    with Validator(built_validator("1.35"), seconds=_SECONDS) as validator:
        # One by one, so that an answer that is lost is known.
        answers = [
            answer for one in _hostile(objects) for answer in validator.ask([one])
        ]
    assert len(answers) == _COUNT
    codes = Counter(answer.code for answer in answers)
    assert codes.keys() <= {0, 200, 201, 400, 404, 405, 413, 422}, codes
    # What takes too much time or memory ends the program: numbers of a billion digits, and
    # lists that the server's code compares with themselves.
    assert 0 < codes[0] < _COUNT / 100
    assert time.monotonic() - started < 200
    assert max(map(_size, answers)) < 4_000_000


def test_what_is_too_large_is_refused_as_by_a_server() -> None:
    with Validator(built_validator("1.35")) as validator:
        for size, code in ((10, 201), (3 << 20, 413), (70 << 20, 413), (10, 201)):
            data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
            value = {**data, "data": {"a": "x" * size}}
            (answer,) = validator.ask([Request("create", value)])
            assert answer.code == code


def _size(answer: Answer) -> int:
    causes = sum(len(text) for cause in answer.causes for text in cause)
    return len(answer.message) + causes + sum(map(len, answer.warnings))


_POD = b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'
_CRD = """{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "as.x.io"}, "spec": {"group": "x.io", "scope": "Cluster",
"names": {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"},
"versions": [{"name": "v1", "served": true, "storage": true,
"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}}}]}}"""


def _nested(keyword: str, depth: int) -> str:
    start = '{"type": "object", "properties": {"a": ' if keyword == "properties" else ""
    start = start or f'{{"type": "array", "{keyword}": '
    end = "}}" if keyword == "properties" else "}"
    return start * depth + '{"type": "string"}' + end * depth


def _rule(expression: str) -> str:
    rule = json.dumps([{"rule": expression}])
    return f'{{"type": "array", "items": {{"type": "string"}}, "x-kubernetes-validations": {rule}}}'


#: Schemas of ``spec`` in CustomResourceDefinitions.
_SCHEMAS = (
    _nested("properties", 50), _nested("properties", 5_000), _nested("items", 5_000),
    '{"type": "string", "pattern": "(((((a{9}){9}){9}){9}){9}){9}"}',
    '{"type": "string", "pattern": "(a+)+$"}', '{"type": "string", "pattern": "("}',
    json.dumps({"type": "string", "pattern": "a?" * 20_000}),
    json.dumps({"type": "string", "enum": [f"v{i}" for i in range(100_000)]}),
    json.dumps({"type": "string", "enum": ["a"] * 20_000}),
    json.dumps({"type": "object", "properties": {f"f{i}": {"type": "string"} for i in range(20_000)}}),
    _rule("self.all(x, self.all(y, self.all(z, self.all(w, x == y + z + w))))"),
    _rule("self.all(x, x.matches('(a+)+$'))"), _rule("(" * 5_000), _rule("!" * 20_000 + "true"),
    _rule("'a'" + " + 'a'" * 20_000 + " == ''"), _rule("[1]" * 2_000), _rule("true || " * 9_000 + "true"),
    '{"$ref": "#"}', '{"type": "object", "default": {"a": [[[[]]]]}}',
    json.dumps({"anyOf": [{"anyOf": [{"required": ["a"]}] * 300}] * 300, "type": "object"}),
    '{"type": "object", "not": ' + '{"not": ' * 3_000 + "{}" + "}" * 3_001,
)  # fmt: skip
#: Lines of requests.
_LINES = (
    b"", b" ", b"null", b"[]", b"1", b'"a"', b"{", b"{}", b"\xff\xfe", b"\0", b"[" * 100_000,
    b'{"operation": 1}', b'{"operation": null}', b'{"operation": "x"}', b'{"operation": "create"}',
    b'{"operation": "create", "object": 1}', b'{"operation": "create", "object": []}',
    b'{"operation": "create", "object": {"apiVersion": 1, "kind": []}}',
    b'{"operation": "update", "object": ' + _POD + b"}", b'{"operation": "delete", "old": 1}',
    b'{"operation": "convert", "to": "///", "object": ' + _POD + b"}",
    b'{"operation": "create", "prepared": "' + b"0" * 64 + b'", "object": ' + _POD + b"}",
    b'{"operation": "create", "featureGates": {"AllAlpha": true, "x": false}, "object": ' + _POD + b"}",
    b'{"operation": "create", "podSecurity": {"level": "x", "version": "v9.99"}, "object": ' + _POD + b"}",
    b'{"operation": "create", "user": "' + b"u" * 100_000 + b'", "groups": [""], "object": ' + _POD + b"}",
    b'{"operation": "create", "id": {"a": [1]}, "object": ' + _POD + b"}",
    b'{"operation": "create", "operation": "version", "OPERATION": "x"}',
    b'{"operation": "prepare", "objects": 1}', b'{"operation": "prepare", "objects": [null, 1, []]}',
    b'{"operation": "prepare", "objects": [' + b"{}," * 20_000 + b"{}]}",
    b'{"operation": "create", "object": "' + b"x" * (70 << 20) + b'"}',
)  # fmt: skip


def _definitions() -> Iterator[bytes]:
    for schema in _SCHEMAS:
        crd = _CRD.replace("\n", " ").replace("SPEC", schema).encode()
        yield b'{"operation": "create", "object": ' + crd + b"}"
        yield b'{"operation": "prepare", "objects": [' + crd + b"]}"


@pytest.mark.nightly
def test_every_line_of_a_request_has_one_answer() -> None:
    """Garbage, and CustomResourceDefinitions that take all the time and memory that they
    can; the program may only end itself, and another one goes on."""
    program = built_validator("1.35")
    codes: Counter[int] = Counter()
    for line in (*_LINES, *_definitions()):
        started = time.monotonic()
        run = subprocess.run(
            [program, f"-memory={512 << 20}"],
            input=line + b'\n{"operation": "version", "id": 1}\n',
            capture_output=True,
            timeout=60,
        )
        answers = [json.loads(text) for text in run.stdout.splitlines()]
        assert time.monotonic() - started < 30, line[:200]
        # An empty line is no request.
        assert len(answers) == (2 if line else 1) or run.returncode, line[:200]
        if not run.returncode:
            assert answers[-1]["id"] == 1
        codes.update(answer["code"] for answer in answers)
        assert max(map(len, run.stdout.splitlines()), default=0) < 4_000_000
    assert codes.keys() <= {200, 201, 400, 404, 405, 412, 413, 422}, codes
