"""Positions of findings are right to the column, and hostile files are bounded."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.checking import check_paths
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.kustomize import Kustomizations
from kubestencil.checking.files.manifests import (
    Item,
    Manifest,
    Mistake,
    read_manifests,
)
from kubestencil.source.yaml import Position

# Keys and values that occur once, so that their place in the text is certain. Letters
# outside of the BMP and combining marks count as one character each.
_CHARACTERS = "aé\u4e2d\U0001f600\u0301"


def manifests(text: str) -> list[Manifest]:
    items = read_manifests(text.encode(), "x.yaml")
    return [item for item in items if isinstance(item, Manifest)]


def position_in(text: str, part: str) -> Position:
    """The position of a part that occurs once, counted without a parser."""
    assert text.count(part) == 1, part
    before = text[: text.index(part)].replace("\r\n", "\n")
    return Position(before.count("\n") + 1, len(before) - before.rfind("\n"))


class Writer:
    """Writes an object as YAML in varying styles, and remembers its paths.

    ``places`` has for each path the text of its key and that of its value, both of
    which occur once.
    """

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.number = 0
        self.places: list[tuple[tuple[str | int, ...], str | None, str | None]] = []

    def unique(self) -> str:
        self.number += 1
        return f"{self.choose.choice(_CHARACTERS)}k{self.number}q"

    def scalar(self) -> tuple[str, str]:
        """A value as text, and the part of it that its position is at."""
        text = self.unique()
        styles = [text, f'"{text}"', f"'{text}'"]
        plain = self.choose.choice(styles)
        prefix = self.choose.choice(["", f"&a{self.number} ", "!!str "])
        return prefix + plain, plain

    def block(self, indent: int, path: tuple[str | int, ...], depth: int) -> str:
        lines: list[str] = []
        pad = " " * indent
        for _ in range(self.choose.randint(1, 3)):
            key = self.unique()
            inner = (*path, key)
            comment = self.choose.choice(["", " # a\tcomment", "  #"])
            kind = self.choose.choice(["scalar", "map", "list", "flow", "literal"])
            if depth == 0 and kind in ("map", "list"):
                kind = "scalar"
            if kind == "scalar":
                text, plain = self.scalar()
                lines.append(f"{pad}{key}: {text}{comment}")
                self.places.append((inner, key, plain))
            elif kind == "map":
                lines.append(f"{pad}{key}:{comment}")
                self.places.append((inner, key, None))
                lines.append(self.block(indent + 2, inner, depth - 1))
            elif kind == "list":
                lines.append(f"{pad}{key}:{comment}")
                self.places.append((inner, key, None))
                for index in range(self.choose.randint(1, 2)):
                    text, plain = self.scalar()
                    lines.append(f"{pad}- {text}")
                    self.places.append(((*inner, index), None, plain))
            elif kind == "flow":
                (one, first), (two, second) = self.scalar(), self.scalar()
                name = self.unique()
                lines.append(f"{pad}{key}: [{one}, {{{name}: {two}}}]{comment}")
                self.places.append((inner, key, None))
                self.places.append(((*inner, 0), None, first))
                self.places.append(((*inner, 1, name), name, second))
            else:
                lines.append(f"{pad}{key}: |-\n{pad}  {self.unique()}\n\n{pad}  x")
                self.places.append((inner, key, None))
        return "\n".join(lines)


@given(seed=st.integers(0, 2**32), crlf=st.booleans(), count=st.integers(1, 3))
@settings(max_examples=150)
def test_keys_and_values_are_where_they_are_written(
    seed: int, crlf: bool, count: int
) -> None:
    writer = Writer(random.Random(seed))
    text = ""
    for number in range(count):
        head = f"# comment {number}\napiVersion: v1\nkind: A{number}\n"
        text += f"---\n{head}{writer.block(0, (number,), 2)}\n"
    if crlf:
        text = text.replace("\n", "\r\n")
    objects = manifests(text)
    assert len(objects) == count
    for (index, *path), key, value in writer.places:
        assert isinstance(index, int)
        if key is not None:
            at = objects[index].position(path, of_key=True)
            assert at == position_in(text, f"{key}:")
        if value is not None:
            assert objects[index].position(path) == position_in(text, value)


JSON = st.recursive(
    st.integers() | st.text(max_size=5) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(
    value=st.dictionaries(st.text(max_size=4), JSON, max_size=4),
    width=st.integers(0, 3),
)
def test_values_of_json_are_where_they_are_written(value: Any, width: int) -> None:
    whole = {"apiVersion": "v1", "kind": "A", "mark": {"x": ["QQQ"]}, "other": value}
    text = json.dumps(whole, indent=width or None, ensure_ascii=False)
    if text.count('"QQQ"') != 1 or text.count('"mark"') != 1:
        return
    (manifest,) = manifests(text)
    assert manifest.position(("mark", "x", 0)) == position_in(text, '"QQQ"')
    assert manifest.position(("mark",), of_key=True) == position_in(text, '"mark"')


def test_aliases_and_merges_have_the_position_of_their_text() -> None:
    text = "apiVersion: v1\nkind: A\na: &a {b: one}\nc: *a\nd: {<<: *a, e: two}\n"
    (manifest,) = manifests(text)
    assert manifest.position(("c",)) == Position(4, 4)
    assert manifest.position(("c", "b")) == Position(3, 11)
    assert manifest.position(("d", "b"), of_key=True) == Position(3, 8)
    assert manifest.position(("d", "e"), of_key=True) == Position(5, 13)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_are_no_characters(encoding: str) -> None:
    text = "apiVersion: v1\nkind: é\nx: {b: z}\n"
    mark = "" if encoding in ("utf-8-sig", "utf-16") else "\ufeff"
    (manifest,) = read_manifests((mark + text).encode(encoding), "x.yaml")
    assert isinstance(manifest, Manifest)
    assert manifest.subject.kind == "é"
    assert manifest.position(("x", "b")) == Position(3, 8)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_lines_end_where_editors_end_them(separator: str) -> None:
    text = f'apiVersion: v1\nkind: A\na: "x{separator}y"\nb: z\n'
    (manifest,) = manifests(text)
    assert manifest.position(("b",)) == Position(4, 4)


def test_a_mistake_leaves_other_documents_readable() -> None:
    text = (
        "apiVersion: v1\nkind: A\n---\na: [1\n---\napiVersion: v1\nkind: B\n"
        "---\na: 1\na: 2\n"
    )
    items: list[Item] = list(read_manifests(text.encode(), "x.yaml"))
    kinds = [item.subject.kind for item in items if isinstance(item, Manifest)]
    assert kinds == ["A", "B"]
    broken, _ = [item for item in items if isinstance(item, Mistake)]
    assert (broken.subject.document, broken.at.line) == (1, 5)


def hostile_files() -> list[bytes]:
    """A thousand seeded files: each kind of attack, in sizes and with garbage."""
    choose = random.Random(13)
    files: list[bytes] = []
    for number in range(125):
        size = choose.randint(1, 60) * 100
        bomb = "".join(
            f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n"
            for level in range(1, 4 + number % 12)
        )
        key = "k" * size
        garbage = bytes(choose.randrange(256) for _ in range(200))
        files += [
            f"a0: &a0 x\n{bomb}".encode(),
            b"[" * size,
            (b"{a: " * size) + b"}" * choose.randint(0, size),
            f"apiVersion: v1\nkind: A\n{key}: 1\n? {key}\n: 2\n".encode(),
            b"apiVersion: v1\nkind: \0Pod\n" + b"\0" * number,
            f"a: !!python/object/apply:os.system ['touch {number}']\n".encode(),
            garbage,
            f"a: {'9' * size}\nb: 0x{'f' * size}\nc: *a\n".encode(),
        ]
    return files


@pytest.mark.growth
def test_a_thousand_hostile_files_are_bounded(tmp_path: Path) -> None:
    files = hostile_files()
    assert len(files) == 1000
    started = time.process_time()
    for number, data in enumerate(files):
        items = list(read_manifests(data, f"{number}.yaml"))
        messages = [
            item.problem.message
            for item in items
            if isinstance(item, Mistake) and item.problem.rule == "syntax"
        ]
        # Garbage may be several documents, each of which has one message.
        assert len(messages) <= max(1, data.count(b"\n---") + 1)
        assert all(len(message) < 500 for message in messages), number
    assert time.process_time() - started < 60
    assert not list(tmp_path.iterdir())


def test_hostile_files_are_findings_and_no_tracebacks(tmp_path: Path) -> None:
    from kubestencil.checking.release import prepare
    from kubestencil.checking.run import Run
    from kubestencil.checking.upgrade import Upgrade
    from tests.conftest import load

    run = Run(Upgrade(None, prepare(load("1.35"))), Kustomizations())
    path = tmp_path / "x.yaml"
    deep = "{properties: {a: " * 120 + "{}" + "}}" * 120
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {'[' * 400}{']' * 400}\n"
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        f"spec: {{versions: [{{schema: {{openAPIV3Schema: {deep}}}}}]}}\n"
    )
    for text in (pod, crd, *(data.decode("latin-1") for data in hostile_files()[:80])):
        path.write_text(text, "utf-8")
        for finish in run.start([ManifestFile(str(path))]):
            finish()


@pytest.mark.growth
def test_the_time_for_positions_grows_with_the_text(tmp_path: Path) -> None:
    """``kubectl get -A -o yaml`` prints one list, whose findings are all in one text."""
    from tests.conftest import load

    def seconds(comments: int) -> float:
        item = "- {apiVersion: v1, kind: Pod,\n   spec: {containers: [], x: y}}\n"
        path = tmp_path / f"{comments}.yaml"
        head = "#\n" * comments
        path.write_text(f"{head}apiVersion: v1\nkind: List\nitems:\n{item * 500}")
        started = time.process_time()
        report = check_paths([str(path)], load("1.35"))
        assert len(report.findings) == 500
        assert report.findings[-1].line == comments + 1003
        return time.process_time() - started

    seconds(1)
    assert seconds(100_000) < 3 * seconds(0) + 3
