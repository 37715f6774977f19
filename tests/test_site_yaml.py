"""What the page of the docs site that checks manifests reads of a text: what the command
reads, or it says from which line on it cannot.

Thousands of mutated manifests and small texts go through the scripts of the page with
Node.js, and through the command's own reader. ``KUBESTENCIL_TEXTS`` is another number.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking.files.manifests import Positions
from kubestencil.source.json_text import json_documents
from kubestencil.source.yaml import YamlError, compose, split_documents
from tests.node import run_program
from tests.yaml_bundle import BUNDLE, bundle

ASSETS = Path(__file__).parent.parent / "templates/site/assets"
MANIFESTS = Path(__file__).parent / "manifests"
COUNT = int(os.environ.get("KUBESTENCIL_TEXTS", "3000"))
MAX_BUNDLE = 40_000

# What decides in YAML what a text is, and what templates have.
TOKENS = [
    "\t", "'", '"', "[", "]", "{", "}", ": ", ":", "- ", "-", "? ", "#", " #", "&a ",
    "*a", "*a ", "!!int ", "!!str ", "!x ", "|", "|-", "|+", "|2", ">", ">-", "---\n",
    "...\n", "\n", "\n\n", " ", "  ", "<<: *a\n", "<<", "%", "@", "`", ",", "~", "null",
    "yes", "0777", "0o17", "1e3", "1.5", "0x1F", "1_000", ".inf", "12:30:45", "\\",
    "\\n", "\\x41", "\\u00e9", "{{ .x }}", "{% if %}", "${A}", "é", "😀", "\u2028",
    "\x85", "\x00", "\x07", "\ufeff", "\r\n", "=", "key", "\\\n", "''", '""', "!", "&",
    "*",
]  # fmt: skip
SMALL = [
    "a:\n- b\n- c: d\n  e: f\n",
    "- - a\n  - b\n- {a: b, c: [d, e]}\n",
    "a: |\n  x\n   y\n\n  z\nb: >-\n  p\n  q\n\n  r\n",
    "a: &x {b: c}\nd: *x\ne:\n  <<: *x\n  f: g\n",
    "? a\n: b\n? c\n: d\n",
    "'a b': \"c\\td\"\n\"e\": 'f''g'\n",
    "a: b c\n  d e\n  f\n",
    "# comment\na: b # c\n#d\n---\n# e\nf: g\n...\n",
    '{"a": [1, 2.5, true, null, "x"], "b": {}}\n',
    "a: [b,\n  c, {d: e}]\nf: {g: h,\n  i: j}\n",
    "a: {\n  b: c\n}\nd: [\n  e\n]\n",
    "a:\n\n  b: 1\n\n\nc: 0x1F\nd: 0777\ne: yes\nf: ~\ng:\nh: 1e3\ni: 1.0\nj: .5\n",
    "a: \"x\n  y\n\n  z\"\nb: 'p\n  q'\n",
    '- &a x\n- *a\n- !!str 1\n- !!int "2"\n- !foo bar\n',
    "a: |2\n    x\n  y\nb: |+\n  z\n\nc: 1\n",
    "1: a\ntrue: b\n0x10: c\n",
]

_SCRIPTS = "globalThis.kubestencil = {};" + "".join(
    f"(0, eval)(require('fs').readFileSync({json.dumps(str(ASSETS / name))}, 'utf8'));"
    for name in ("vendor/yaml.js", "yaml.js")
)
# Values with their types, as JSON has no integers of 64 bits.
_READ = _SCRIPTS + """
const TYPES = { bigint: "int", boolean: "bool", number: "float", string: "str" };
function tree({ kind, line, entries, items, value }) {
  if (kind === "mapping") return [kind, line, entries.map((entry) => [entry.key, entry.line, tree(entry.value)])];
  if (kind === "sequence") return [kind, line, items.map(tree)];
  return value === null || value === "" ? [value] : [TYPES[typeof value], line, typeof value === "number" ? value : String(value)];
}
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = texts.map((text) =>
  globalThis.kubestencil.readDocuments(text).map(({ error, value, repeated }) =>
    error === undefined ? [tree(value), repeated.map(({ line }) => line)] : null));
process.stdout.write(JSON.stringify(results));
"""


def read_by_page(texts: Sequence[str]) -> list[list[Any]]:
    """The documents of texts with their types and lines; None for one that is refused."""
    return list(run_program(_READ, texts))


def read_by_command(text: str) -> list[Any]:
    """The same, as ``kubestencil check`` reads them."""
    text = text.removeprefix("\ufeff")
    documents = json_documents(text) if text.lstrip()[:1] == "{" else None
    if documents is not None:
        return [_result(document) for document in documents]
    results: list[Any] = []
    try:
        for line, part in split_documents(text, ""):
            try:
                document = compose(part, "", line)
            except YamlError:
                results.append(None)
            else:
                results += [_result(document)] if document is not None else []
    except YamlError:
        results.append(None)
    return results


def _result(document: Any) -> list[Any]:
    lines = [repeated.at.line - 1 for repeated in document.repeated]
    return [_tree(document, document.value, ()), lines]


def _tree(document: Positions, value: Any, path: tuple[str | int, ...]) -> list[Any]:
    line = document.position(path).line - 1
    if isinstance(value, dict):
        entries = [
            [
                key,
                document.position((*path, key), of_key=True).line - 1,
                _tree(document, inner, (*path, key)),
            ]
            for key, inner in value.items()
        ]
        return ["mapping", line, entries]
    if isinstance(value, list):
        items = [
            _tree(document, item, (*path, index)) for index, item in enumerate(value)
        ]
        return ["sequence", line, items]
    # Where an empty value is depends on what is before it.
    if value in (None, ""):
        return [value]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return [type(value).__name__, line, value if isinstance(value, float) else text]


def seeds() -> list[str]:
    texts = (path.read_text("utf-8") for path in sorted(MANIFESTS.glob("*.yaml")))
    parts = (part.lstrip("\n") for text in texts for part in text.split("\n---"))
    return [part for part in parts if part]


def mutated(chance: random.Random, text: str) -> str:
    """A text with one change: a token more, some characters less, a line elsewhere."""
    kind = chance.randrange(9)
    at = chance.randrange(len(text) + 1)
    if kind < 4:
        return text[:at] + chance.choice(TOKENS) + text[at:]
    if kind == 4:
        return text[:at] + text[at + chance.randrange(1, 4) :]
    lines = text.split("\n")
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    if kind == 5:
        lines[one] = " " * chance.randrange(1, 4) + lines[one]
    elif kind == 6:
        lines[one] = lines[one][chance.randrange(1, 3) :]
    elif kind == 7:
        lines.insert(other, lines[one])
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def mutations(count: int) -> Iterator[str]:
    chance = random.Random(46)
    manifests = seeds()
    for _ in range(count):
        text = chance.choice(SMALL if chance.random() < 0.6 else manifests)
        if chance.random() < 0.2:
            text += chance.choice(SMALL)
        for _ in range(chance.choice([0, 1, 1, 1, 2, 3, 5])):
            text = mutated(chance, text)
        yield text


@pytest.mark.nightly
def test_the_page_reads_what_the_command_reads_or_says_that_it_cannot() -> None:
    texts = list(mutations(COUNT))
    outcomes = Counter[str]()
    for text, documents in zip(texts, read_by_page(texts), strict=True):
        expected = read_by_command(text)
        # What follows a refused document is compared where both refuse the same.
        refused = next(
            (index for index, document in enumerate(documents) if document is None),
            None,
        )
        if refused is None:
            assert documents == expected, text
            outcomes["read"] += 1
        else:
            assert documents[:refused] == expected[:refused], text
            is_refused = refused < len(expected) and expected[refused] is None
            outcomes["refused" if is_refused else "not sure"] += 1
    # Most texts are decided.
    assert outcomes["read"] > 0.3 * COUNT, outcomes
    assert outcomes["not sure"] < 0.15 * COUNT, outcomes


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kind: Pod\nmetadata:\n\tname: a\n", 2),
        ("kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n", 2),
        ('kind: Pod\nmetadata:\n  name: "a\n', 2),
        ("kind: Pod\nmetadata:\n  name: 'a\n", 2),
        ("kind: Pod\nspec: [a, b\nc: d\n", 2),
        ("kind: Pod\n- a\n", 1),
        ("a: *b\n", 0),
        ("a: &a [*a]\n", 0),
        ("a: b\n\n--- c\nd: e\n", 2),
        ("a: b\u2028c: d\n", 0),
        ("a: !!int b\n", 0),
        ("a: .nan\n", 0),
    ],
)
def test_a_text_that_is_no_yaml_is_refused_with_its_line(text: str, line: int) -> None:
    program = f"""{_SCRIPTS}
    const text = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const mistakes = globalThis.kubestencil.readDocuments(text).filter(({{ error }}) => error);
    process.stdout.write(JSON.stringify(mistakes.map(({{ line }}) => line)));
    """
    assert run_program(program, text) == [line]


# Texts of a size, which take some tens of milliseconds for each thousand.
_SHAPES = """
const lines = (size, line) => Array.from({ length: size }, (_, index) => line(index)).join("\\n");
const shapes = {
  fields: (size) => lines(size, (index) => `k${index}: v`),
  flow: (size) => `[${lines(size, () => "{a: b},")}]`,
  json: (size) => JSON.stringify({ items: Array.from({ length: size }, (_, index) => ({ index })) }),
  nested: (size) => "[".repeat(size),
  sequences: (size) => "- ".repeat(size),
  documents: (size) => lines(size, () => "a: b\\n---"),
  comments: (size) => lines(size, () => "# a"),
  duplicates: (size) => lines(size, () => "a: b"),
  block: (size) => "a: |\\n" + lines(size, () => "  \\tb"),
  tabs: (size) => lines(size, () => "\\ta: b"),
  quotes: (size) => `"`.repeat(size),
  open: (size) => lines(size, () => `a: "b`),
  colons: (size) => "a: ".repeat(size),
  anchors: (size) => lines(size, () => "- &a b") + "\\n- *a",
  tags: (size) => "! ".repeat(size),
  directives: (size) => lines(size, () => "%a"),
};
"""


@pytest.mark.growth
def test_the_time_to_read_grows_with_the_text() -> None:
    """Whatever it consists of; and aliases cannot stand for billions of values."""
    program = f"""{_SCRIPTS}{_SHAPES}
    const seconds = (text) => {{
      const start = process.cpuUsage();
      globalThis.kubestencil.readDocuments(text);
      const {{ user, system }} = process.cpuUsage(start);
      return (user + system) / 1e6;
    }};
    const sizes = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const shape of Object.values(shapes)) seconds(shape(sizes[0]));
    const times = Object.entries(shapes).map(([name, shape]) => [name, sizes.map((size) => seconds(shape(size)))]);
    process.stdout.write(JSON.stringify(Object.fromEntries(times)));
    """
    for name, (small, large) in run_program(program, [3_000, 12_000]).items():
        # Four times the text; a square of it would take sixteen times as long.
        assert large < 9 * small + 0.3, (name, small, large)


def test_aliases_stand_for_no_more_values_than_kubernetes_allows() -> None:
    names = "abcdefghij"
    levels = (
        f"{name}: &{name} [{', '.join([f'*{inner}'] * 9)}]"
        for inner, name in pairwise(names)
    )
    text = "\n".join(["a: &a [x, x, x, x, x, x, x, x, x]", *levels])
    assert read_by_command(text) == [None]
    assert read_by_page([text]) == [[None]]


def test_the_parser_is_small_and_has_its_licence() -> None:
    data = BUNDLE.read_bytes()
    assert len(gzip.compress(data, 9)) < MAX_BUNDLE
    assert b"Copyright Eemeli Aro" in data.partition(b"*/")[0]
    assert b"eval(" not in data
    assert b"innerHTML" not in data


@pytest.mark.peer("esbuild")
def test_the_parser_is_what_npm_has() -> None:
    assert BUNDLE.read_bytes() == bundle(), "run python -m tests.yaml_bundle"
