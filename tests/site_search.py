"""The search of the docs site in Node.js: its own scripts, without a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.pages.usage import find_usage
from kubestencil.targets.site.search_index import IndexScripts, release_index
from tests.conftest import ROOT
from tests.node import run_program

_ASSETS = ROOT / "templates" / "site" / "assets"
_LIMIT = 40

# Reads {"scripts": [...], "queries": [...]}; writes the results of each query: the path,
# and what is said of it.
_PROGRAM = """
const { runInThisContext } = require("vm");
const { scripts, queries, limit } = JSON.parse(require("fs").readFileSync(0, "utf8"));
for (const script of scripts) runInThisContext(script);
const [pool] = kubestencilSearch.pools.values();
const textOf = (result, query) =>
  [...pool.factsOf(result, query), pool.textOf(result.entry),
   result.fields.length ? pool.labelOf(result.entry) : ""].join(" | ");
const results = (query) =>
  kubestencilSearch.findResults(pool, query, limit)
    .slice(0, limit).map((result) => [result.path, textOf(result, query)]);
console.log(JSON.stringify(queries.map(results)));
"""


class Result(NamedTuple):
    """A result of a query: the path of a page, and what the search says of it."""

    path: str
    text: str


class ParsedIndex(NamedTuple):
    """The objects that the two scripts of an index pass to the search."""

    names: Mapping[str, Any]
    texts: Mapping[str, Any]


def index_scripts(release: Release) -> IndexScripts:
    """The scripts of a release's index, as on its site."""
    kinds = kind_definitions(release)
    used_in = find_usage(release, sorted(kinds)).used_in
    counts = {name: len(uses) for name, uses in used_in.items()}
    return release_index(release, page_addresses(release), kinds, counts, {})


def parse_index(scripts: IndexScripts) -> ParsedIndex:
    """What the scripts of an index pass to the search."""
    return ParsedIndex(
        json.loads(
            scripts.names.removeprefix(b"kubestencilIndex(").removesuffix(b")\n")
        ),
        json.loads(
            scripts.texts.removeprefix(b"kubestencilTexts(").removesuffix(b")\n")
        ),
    )


def results(scripts: IndexScripts, queries: Sequence[str]) -> list[list[Result]]:
    """The results of each query, best first; the test is skipped without Node.js."""
    sources = [(_ASSETS / name).read_text() for name in ("entries.js", "rank.js")]
    sources += [scripts.names.decode(), scripts.texts.decode()]
    problem = {"scripts": sources, "queries": queries, "limit": _LIMIT}
    found: list[list[tuple[str, str]]] = run_program(_PROGRAM, problem)
    return [[Result(*result) for result in of_query] for of_query in found]


def search(scripts: IndexScripts, queries: Sequence[str]) -> list[list[str]]:
    """The paths of the results of each query, best first."""
    return [[path for path, _ in found] for found in results(scripts, queries)]
