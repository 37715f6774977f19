"""What tools obey in comments and docstrings, and how a text is kept from saying it.

A description is data, but a tool that reads a comment may find an order in it: doctest
runs what follows ``>>>``, linters and formatters skip what is marked so, controller-gen
makes roles of markers. ``DIRECTIVES`` lists these forms with the tool that obeys each. ``disarm``
breaks them wherever they begin a word, since a line may be broken before any word.

Most get a backslash at the place that the tool compares: Markdown, reStructuredText, JSDoc
and Doxygen do not show it before punctuation. Forms without a blank behind the marker
(``//go:build``, ``//export``, ``/*!``, ``//#``) need no row: comments always have one.
Neither have tags of Javadoc, whose at signs are entities (``comments.javadoc``), nor
``\\u000a`` in Java (``comments``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

#: The families of directives that comments of each style or language can have, besides
#: those of all.
FAMILIES: Mapping[str, str] = {
    "//": "c go java kotlin typescript",
    "///": "c java jsdoc kotlin rustdoc typescript",
    "//!": "c rustdoc",
    "/* */": "c go java kotlin typescript",
    "/** */": "c java jsdoc kotlin typescript",
    "#": "python yaml",
    "--": "sql",
    ";": "",
    '"""': "python",
    "<!-- -->": "markdown",
    "c": "c doxygen jsdoc",
    "cue": "",
    "go": "go",
    "graphql": "",
    "html": "markdown",
    "java": "java",
    "jsonnet": "",
    "kcl": "python",
    "kotlin": "java jsdoc kotlin",
    "pkl": "",
    "python": "python",
    "rust": "rustdoc",
    "toml": "python",
    "typescript": "jsdoc typescript",
    "xml": "markdown",
    "yaml": "python yaml",
}
_BACKSLASH = "{}\\"


class Directive(NamedTuple):
    """A form that a tool obeys.

    ``marks`` are texts, separated by ``|``, one of which each match and what is ahead of it
    have, regardless of case: without any there is no need to search. ``pattern`` matches what is in front of the place to break it at, followed by a
    lookahead for the rest; ``disarmed`` is what becomes of the match. Where the form is
    obeyed in the middle of a word, too, ``anywhere`` is true. ``family`` is one of
    ``FAMILIES``, or ``*`` for every language.
    """

    tool: str
    family: str
    marks: str
    pattern: str
    example: str
    anywhere: bool = False
    disarmed: str = _BACKSLASH


#: Every form that is broken, with the tool that obeys it.
DIRECTIVES: tuple[Directive, ...] = (
    Directive("Vim", "*", "i:|m:|x:|<:|=:|>:|0:|1:|2:|3:|4:|5:|6:|7:|8:|9:", r"(?:vim?|Vim|ex)(?=[<=>]?\d*:)", "vim: set fde=system('x'):"),
    Directive("Emacs", "*", "-*-", r"-\*(?=-)", "-*- eval: (delete-file 1) -*-", True),
    Directive("Emacs", "*", "local variables:", r"[Ll]ocal [Vv]ariables(?=:)", "Local Variables:", True),
    Directive("SonarQube", "*", "nosonar", r"NO(?=SONAR)", "NOSONAR", True),
    Directive("Semgrep", "*", "nosem", r"[Nn][Oo](?=(?i:sem(?:grep)?\b))", "nosemgrep", True),
    Directive("IntelliJ IDEA", "*", "noinspection", r"(?=noinspection\b)", "noinspection unused"),
    Directive("IntelliJ IDEA", "*", "language=", r"language(?==)", "language=SQL"),
    Directive("IntelliJ IDEA", "*", "editor-fold", r"(?=</?editor-fold\b)", "<editor-fold>"),
    Directive("IntelliJ IDEA, Eclipse", "*", "@formatter:", r"(?=@formatter:)", "@formatter:off"),
    Directive("REUSE", "*", "spdx-|reuse-", r"(?:SPDX|REUSE)(?=-[A-Z])", "SPDX-License-Identifier: X"),
    Directive("Gitleaks", "*", "gitleaks:", r"gitleaks(?=:)", "gitleaks:allow", True),
    Directive(
        "detect-secrets", "*", "pragma", r"pragma(?=:? *(?:allow|white)list)",
        "pragma: allowlist secret", True,
    ),
    Directive("CSpell", "*", "cspell:|spellchecker:|spell-checker:", r"(?:[Cc][Ss]pell|[Ss]pell-?[Cc]hecker)(?=:)", "cspell:disable", True),
    Directive("codespell", "*", "codespell:", r"codespell(?=:)", "codespell:ignore x", True),
    Directive("doctest", "python", ">>>", r"(?=>>>)", ">>> open('x', 'w')"),
    Directive("Sphinx", "python", ".. ", r"(?=\.\. \S)", ".. raw:: html"),
    Directive("mypy", "python", "type:|mypy:", r"#\s*(?=(?:type|mypy):)", "# type: ignore", True),
    Directive("pyright", "python", "pyright:", r"#\s*(?=(?:based)?pyright:)", "# pyright: basic", True),
    Directive("pytype, Pyre", "python", "pytype|pyre", r"#\s*(?=py(?:type|re)\b)", "# pytype: skip-file", True),
    Directive("Flake8, Ruff", "python", "noqa|flake8|ruff", r"#\s*(?=(?i:noqa|flake8|ruff)\b)", "# noqa", True),
    Directive("Black, YAPF", "python", "fmt:|yapf:|autopep8:", r"#\s*(?=(?:fmt|yapf|autopep8):)", "# fmt: off", True),
    Directive("Pylint", "python", "pylint", r"#\s*(?=pylint\b)", "# pylint: disable=all", True),
    Directive("Bandit", "python", "nosec", r"#\s*(?=nosec\b)", "# nosec", True),
    Directive("isort", "python", "isort:", r"isort(?=:)", "isort:skip_file", True),
    Directive("Coverage.py", "python", "pragma", r"(?:pragma|PRAGMA)(?=[:\s]?\s*(?i:no\s*(?:cover|branch)))", "# pragma: no cover", True),
    Directive("Python (PEP 263)", "python", "coding:|coding=", r"coding(?=[:=]\s*[-\w.])", "# coding: rot13", True),
    Directive("TypeScript, Babel, Flow, Deno", "typescript", "@ts-|@jsx|@flow|@noflow|@deno-", r"(?=@(?:ts-|jsx|flow|noflow|deno-))", "@ts-expect-error"),
    Directive("TypeScript", "typescript", "<reference|<amd-|<script", r"(?=<(?:reference|amd-|script)\b)", '<reference path="x" />'),
    Directive("TypeScript, TypeDoc, Dokka, Doxygen, Jest", "jsdoc", "@", r"(?<![^\s{(])(?=@\S)", "{@include /etc/passwd}", True),
    Directive("Flow", "typescript", "$flow", r"\$Flow(?=\w)", "$FlowFixMe"),
    Directive("ESLint", "typescript", "eslint", r"eslint(?=-(?:disable|enable|env)|\s)", "eslint-disable"),
    Directive("TSLint, JSHint, JSLint", "typescript", "tslint|jshint|jslint", r"(?:tslint|jshint|jslint)(?=[:\s])", "tslint:disable"),
    Directive("Oxlint", "typescript", "oxlint-", r"oxlint(?=-)", "oxlint-disable"),
    Directive("Biome", "typescript", "biome-|rome-", r"(?:biome|rome)(?=-ignore)", "biome-ignore lint: x"),
    Directive("Deno", "typescript", "deno-", r"deno(?=-[a-z]+-ignore)", "deno-lint-ignore"),
    Directive("Prettier, dprint", "typescript", "prettier-|dprint-", r"(?:prettier|dprint)(?=-ignore)", "prettier-ignore"),
    Directive("Istanbul, c8", "typescript", "istanbul|c8|v8", r"(?:istanbul|[cv]8)(?=\s+ignore)", "c8 ignore next"),
    Directive("Node.js", "typescript", "node:coverage", r"node(?=:coverage)", "node:coverage disable"),
    Directive("Stryker", "typescript", "stryker", r"Stryker(?=\s+(?:disable|restore))", "Stryker disable all"),
    Directive("browsers, source-map-loader", "typescript", "sourceurl|sourcemappingurl", r"source(?:Mapping)?URL(?=\s*=)", "# sourceMappingURL=x", True),
    Directive("Rollup, esbuild", "typescript", "__", r"__(?=(?:PURE|NO_SIDE_EFFECTS|(?:NO)?INLINE)__)", "#__NO_SIDE_EFFECTS__", True),
    Directive("go build, controller-gen, code-generator", "go", "+", r"(?=\+[A-Za-z])", "+kubebuilder:rbac:groups=*"),
    Directive("golangci-lint", "go", "nolint", r"(?=nolint\b)", "nolint:all"),
    Directive("gosec", "go", "nosec", r"#\s*(?=nosec\b)", "#nosec", True),
    Directive("Staticcheck, revive", "go", "lint:|revive:", r"(?:lint|revive)(?=:[a-z])", "revive:disable"),
    Directive("exhaustive", "go", "exhaustive:", r"exhaustive(?=:)", "exhaustive:ignore"),
    Directive("go-swagger", "go", "swagger:", r"swagger(?=:[a-z])", "swagger:model x"),
    Directive("easyjson", "go", "easyjson:", r"easyjson(?=:)", "easyjson:json"),
    Directive("rustdoc (tests)", "rustdoc", "```|~~~", r">*(?=```|~~~)", "```\nfn main() {}"),
    Directive("rustdoc (tests)", "rustdoc", "\t|    ", r"[ \t]*\t[ \t]*| {4,}", "x\n\n        main()", True, "   "),
    Directive("rustdoc", "rustdoc", "<|[", r"\\*(?=[<\[])", "<script>", True, "{}{}\\"),
    Directive("Checkstyle", "java", "checkstyle", r"CHECK(?=STYLE)", "CHECKSTYLE:OFF", True),
    Directive("PMD", "java", "nopmd", r"NO(?=PMD\b)", "NOPMD", True),
    Directive("PMD", "java", "cpd-o", r"CPD(?=-O)", "CPD-OFF", True),
    Directive("Eclipse", "java", "$non-nls", r"\$NON(?=-NLS)", "$NON-NLS-1$", True),
    Directive("Spotless", "java", "spotless:", r"spotless(?=:)", "spotless:off"),
    Directive("ktlint", "kotlin", "ktlint-", r"ktlint(?=-)", "ktlint-disable"),
    Directive("detekt", "kotlin", "detekt:", r"detekt(?=:)", "detekt:all"),
    Directive("ClangFormat", "c", "clang-format", r"clang-(?=format\s)", "clang-format off"),
    Directive("Clang-Tidy", "c", "nolint", r"NO(?=LINT)", "NOLINT", True),
    Directive("LCOV", "c", "lcov|gcov", r"[LG]COV(?=R?_EXCL)", "LCOV_EXCL_LINE", True),
    Directive("Cppcheck", "c", "cppcheck-", r"cppcheck(?=-)", "cppcheck-suppress all"),
    Directive("include-what-you-use", "c", "iwyu", r"IWYU(?=\s+pragma)", "IWYU pragma: keep"),
    Directive("Doxygen", "doxygen", "\\", r"\\+(?=[A-Za-z])", "\\include /etc/passwd", True, "{}{}"),
    Directive("yaml-language-server", "yaml", "yaml-language-server:", r"yaml-language-server(?=:)", "yaml-language-server: $schema=https://x"),
    Directive("IntelliJ IDEA", "yaml", "$schema:", r"\$schema(?=:)", "$schema: https://x"),
    Directive("yamllint", "yaml", "yamllint", r"yamllint(?=\s+(?:dis|en)able)", "yamllint disable"),
    Directive("Prettier", "yaml", "prettier-", r"prettier(?=-ignore)", "prettier-ignore"),
    Directive("ansible-lint", "yaml", "noqa", r"(?=noqa\b)", "noqa"),
    Directive("Checkov, Trivy, KICS", "yaml", "checkov|trivy|kics", r"(?:checkov|trivy|kics)(?=[:-])", "checkov:skip=x"),
    Directive("helm-schema, readme-generator", "yaml", "@schema|@param|@section|@skip", r"(?=@(?:schema|param|section|skip)\b)", "@schema"),
    Directive("SQLFluff", "sql", "noqa", r"(?=noqa\b)", "noqa"),
    Directive("luacheck", "sql", "luacheck:", r"luacheck(?=:)", "luacheck: ignore"),
    Directive("markdownlint, Prettier, HTMLHint, textlint", "markdown", "markdownlint-|prettier-|htmlhint-|textlint-", r"(?:markdownlint|prettier|htmlhint|textlint)(?=-)", "markdownlint-disable"),
    Directive("Vale", "markdown", "vale", r"vale(?=\s)", "vale off"),
)  # fmt: skip


def disarm(text: str, style: str) -> str:
    """``text`` without what a tool would obey in a comment of ``style``, a key of
    ``FAMILIES``."""
    return _replacement(style)(text)


@cache
def _replacement(style: str) -> Callable[[str], str]:
    families = {"*", *FAMILIES[style].split()}
    rows = [row for row in DIRECTIVES if row.family in families]
    words = "|".join(_pattern(row) for row in rows if not row.anywhere)
    anywhere = "|".join(_pattern(row) for row in rows if row.anywhere)
    expression = re.compile(rf"(?<!\S)(?:{words})|{anywhere}")
    # A search tries each row at each character, a hundred times the time of this.
    marks = {mark for row in rows for mark in row.marks.split("|")}

    def broken(match: re.Match[str]) -> str:
        disarmed = _DISARMED[match.lastgroup] if match.lastgroup else _BACKSLASH
        return disarmed.replace("{}", match[0])

    def replaced(text: str) -> str:
        has_mark = any(map(text.casefold().__contains__, marks))
        return expression.sub(broken, text) if has_mark else text

    return replaced


# What is no group is compared by its first character, which is ten times as fast.
_DISARMED = {
    f"row_{number}": row.disarmed
    for number, row in enumerate(DIRECTIVES)
    if row.disarmed != _BACKSLASH
}


def _pattern(row: Directive) -> str:
    name = f"row_{DIRECTIVES.index(row)}"
    return f"(?P<{name}>{row.pattern})" if name in _DISARMED else row.pattern
