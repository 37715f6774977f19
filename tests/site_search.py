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

# Reads {"scripts": [...], "queries": [...]}; writes the paths of each query's results.
_PROGRAM = """
const { runInThisContext } = require("vm");
const { scripts, queries, limit } = JSON.parse(require("fs").readFileSync(0, "utf8"));
let pool;
globalThis.kubestencilIndex = (names) => (pool = new kubestencilSearch.Pool(names));
globalThis.kubestencilTexts = (texts) => pool.setTexts(texts);
for (const script of scripts) runInThisContext(script);
const paths = (query) =>
  kubestencilSearch.findResults(pool, query, limit).map(({ path }) => path);
console.log(JSON.stringify(queries.map((query) => paths(query).slice(0, limit))));
"""


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


def search(scripts: IndexScripts, queries: Sequence[str]) -> list[list[str]]:
    """The paths of the results of each query, best first; the test is skipped without
    Node.js."""
    sources = [(_ASSETS / name).read_text() for name in ("entries.js", "rank.js")]
    sources += [scripts.names.decode(), scripts.texts.decode()]
    problem = {"scripts": sources, "queries": queries, "limit": _LIMIT}
    results: list[list[str]] = run_program(_PROGRAM, problem)
    return results
