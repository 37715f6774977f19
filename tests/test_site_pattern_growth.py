"""Every regular expression of the site's scripts takes time that grows with the length of
the text, whatever the text is: twice the text, at most 2.5 times the time. With Node.js.

Expressions are looked for in the scripts: one that is added is tested.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

import pytest

from tests.conftest import ROOT
from tests.near_misses import near_misses
from tests.node import run_program

_ASSETS = ROOT / "templates" / "site" / "assets"
# A slash begins an expression where an operand may be, and a comment before another.
_LITERAL = re.compile(
    r"(?:[=(,:!&|?;{\[]|\breturn)\s*/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+)"
    r"/([a-z]*)"
)
# What is escaped in expressions that scripts make: words of a query.
_MADE = {
    "find.js": ["(replicas|name|a)", "replicas|name|a"],
    "rank.js": [r"(?<![\p{L}\p{N}])name"],
}
# Classes of Unicode in expressions of Python; texts are made of ASCII.
_IN_CLASS = {r"\p{L}": "A-Za-z", r"\p{Ll}": "a-z", r"\p{Lu}": "A-Z", r"\p{N}": "0-9"}
_CLASS = re.compile(r"(\[\^?)((?:\\.|[^\]\\])*)\]")

_PROGRAM = r"""
const LENGTHS = [20, 30, 40, 1000, 4000], SHORT = 2;
const seconds = (pattern, [start, unit, end], length, repeats) => {
  const text = start + unit.repeat(length / unit.length) + end;
  let shortest = Infinity;
  for (let i = 0; i < repeats; i++) {
    const before = performance.now();
    for (const _ of text.matchAll(pattern)) continue;
    shortest = Math.min(shortest, performance.now() - before);
  }
  return shortest;
};
const isLinear = (pattern, text, length) => {
  seconds(pattern, text, 20, 3); // the first time, expressions are not compiled
  if (seconds(pattern, text, length, 1) <= SHORT) return true;
  return [3, 6, 12].some((repeats) => {
    const once = seconds(pattern, text, Math.floor(length / 2), repeats);
    return seconds(pattern, text, length, repeats) <= Math.max(SHORT, 2.5 * once);
  });
};
const problems = JSON.parse(require("fs").readFileSync(0, "utf8"));
const slow = problems.map(({ source, flags, texts }) => {
  const pattern = new RegExp(source, flags.replace("g", "") + "g");
  return texts.find((text) => LENGTHS.some((length) => !isLinear(pattern, text, length))) ?? null;
});
console.log(JSON.stringify(slow));
"""


class Expression(NamedTuple):
    """A regular expression of a script: its name, source and flags."""

    name: str
    source: str
    flags: str


def _expressions() -> list[Expression]:
    expressions = []
    for path in sorted(_ASSETS.glob("*.js")):
        for match in _LITERAL.finditer(path.read_text()):
            if "${" not in match[1]:  # Slashes in a template of text.
                expressions.append(Expression(path.name, match[1], match[2]))
    for name, sources in _MADE.items():
        expressions += [Expression(name, source, "iu") for source in sources]
    return expressions


def _slow(expressions: list[Expression]) -> list[Any]:
    """A text for which each expression takes too long; None where there is none."""
    problems = [
        {"source": item.source, "flags": item.flags, "texts": _texts(item)}
        for item in expressions
    ]
    slow: list[Any] = run_program(_PROGRAM, problems)
    return slow


def _texts(expression: Expression) -> list[Any]:
    with warnings.catch_warnings():
        # An opening bracket in a class may mean more in a later version of Python.
        warnings.simplefilter("ignore", FutureWarning)
        pattern = re.compile(_as_python(expression.source))
    return sorted(near_misses(pattern))


def _as_python(source: str) -> str:
    """An expression of JavaScript for the reader of Python."""
    for name, members in _IN_CLASS.items():
        source = _CLASS.sub(
            lambda match, name=name, members=members: (  # type: ignore[misc]
                f"{match[1]}{match[2].replace(name, members)}]"
            ),
            source,
        ).replace(name, f"[{members}]")
    return source


def test_all_expressions_are_known() -> None:
    """What scripts make by ``new RegExp``, and how many literals there are at least."""
    for path in _ASSETS.glob("*.js"):
        made = path.read_text().count("new RegExp(")
        assert made == len(_MADE.get(path.name, ())), path.name
    assert len(_expressions()) > 20


def test_twice_the_text_takes_at_most_two_and_a_half_times_as_long() -> None:
    expressions = _expressions()
    slow = zip(expressions, _slow(expressions), strict=True)
    assert [(expression, text) for expression, text in slow if text] == []


@pytest.mark.parametrize(
    "source", [r"\.+$", r"<[^>]*>", r"(a+)+b", r"[\p{L}]+!", r"\s*\]x"]
)
def test_expressions_that_take_longer_are_noticed(source: str) -> None:
    assert _slow([Expression("", source, "u" if "p{" in source else "")]) != [None]
