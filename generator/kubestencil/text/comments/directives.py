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

    ``pattern`` matches what is in front of the place to break it at, followed by a
    lookahead for the rest; ``disarmed`` is what becomes of the match. Where the form is
    obeyed in the middle of a word, too, ``anywhere`` is true. ``family`` is one of
    ``FAMILIES``, or ``*`` for every language.
    """

    tool: str
    family: str
    pattern: str
    example: str
    anywhere: bool = False
    disarmed: str = _BACKSLASH


#: Every form that is broken, with the tool that obeys it.
DIRECTIVES: tuple[Directive, ...] = (
    Directive("Vim", "*", r"(?:vim?|Vim|ex)(?=[<=>]?\d*:)", "vim: set fde=system('x'):"),
    Directive("Emacs", "*", r"-\*(?=-)", "-*- eval: (delete-file 1) -*-", True),
    Directive("Emacs", "*", r"[Ll]ocal [Vv]ariables(?=:)", "Local Variables:", True),
    Directive("SonarQube", "*", r"NO(?=SONAR)", "NOSONAR", True),
    Directive("Semgrep", "*", r"[Nn][Oo](?=(?i:sem(?:grep)?\b))", "nosemgrep", True),
    Directive("IntelliJ IDEA", "*", r"(?=noinspection\b)", "noinspection unused"),
    Directive("IntelliJ IDEA", "*", r"language(?==)", "language=SQL"),
    Directive("IntelliJ IDEA", "*", r"(?=</?editor-fold\b)", "<editor-fold>"),
    Directive("IntelliJ IDEA, Eclipse", "*", r"(?=@formatter:)", "@formatter:off"),
    Directive("REUSE", "*", r"(?:SPDX|REUSE)(?=-[A-Z])", "SPDX-License-Identifier: X"),
    Directive("Gitleaks", "*", r"gitleaks(?=:)", "gitleaks:allow", True),
    Directive(
        "detect-secrets", "*", r"pragma(?=:? *(?:allow|white)list)",
        "pragma: allowlist secret", True,
    ),
    Directive("CSpell", "*", r"(?:[Cc][Ss]pell|[Ss]pell-?[Cc]hecker)(?=:)", "cspell:disable", True),
    Directive("codespell", "*", r"codespell(?=:)", "codespell:ignore x", True),
    Directive("doctest", "python", r"(?=>>>)", ">>> open('x', 'w')"),
    Directive("Sphinx", "python", r"(?=\.\. \S)", ".. raw:: html"),
    Directive("mypy", "python", r"#\s*(?=(?:type|mypy):)", "# type: ignore", True),
    Directive("pyright", "python", r"#\s*(?=(?:based)?pyright:)", "# pyright: basic", True),
    Directive("pytype, Pyre", "python", r"#\s*(?=py(?:type|re)\b)", "# pytype: skip-file", True),
    Directive("Flake8, Ruff", "python", r"#\s*(?=(?i:noqa|flake8|ruff)\b)", "# noqa", True),
    Directive("Black, YAPF", "python", r"#\s*(?=(?:fmt|yapf|autopep8):)", "# fmt: off", True),
    Directive("Pylint", "python", r"#\s*(?=pylint\b)", "# pylint: disable=all", True),
    Directive("Bandit", "python", r"#\s*(?=nosec\b)", "# nosec", True),
    Directive("isort", "python", r"isort(?=:)", "isort:skip_file", True),
    Directive("Coverage.py", "python", r"(?:pragma|PRAGMA)(?=[:\s]?\s*(?i:no\s*(?:cover|branch)))", "# pragma: no cover", True),
    Directive("Python (PEP 263)", "python", r"coding(?=[:=]\s*[-\w.])", "# coding: rot13", True),
    Directive("TypeScript, Babel, Flow, Deno", "typescript", r"(?=@(?:ts-|jsx|flow|noflow|deno-))", "@ts-expect-error"),
    Directive("TypeScript", "typescript", r"(?=<(?:reference|amd-|script)\b)", '<reference path="x" />'),
    Directive("TypeScript, TypeDoc, Dokka, Doxygen, Jest", "jsdoc", r"(?<![^\s{(])(?=@\S)", "{@include /etc/passwd}", True),
    Directive("Flow", "typescript", r"\$Flow(?=\w)", "$FlowFixMe"),
    Directive("ESLint", "typescript", r"eslint(?=-(?:disable|enable|env)|\s)", "eslint-disable"),
    Directive("TSLint, JSHint, JSLint", "typescript", r"(?:tslint|jshint|jslint)(?=[:\s])", "tslint:disable"),
    Directive("Oxlint", "typescript", r"oxlint(?=-)", "oxlint-disable"),
    Directive("Biome", "typescript", r"(?:biome|rome)(?=-ignore)", "biome-ignore lint: x"),
    Directive("Deno", "typescript", r"deno(?=-[a-z]+-ignore)", "deno-lint-ignore"),
    Directive("Prettier, dprint", "typescript", r"(?:prettier|dprint)(?=-ignore)", "prettier-ignore"),
    Directive("Istanbul, c8", "typescript", r"(?:istanbul|[cv]8)(?=\s+ignore)", "c8 ignore next"),
    Directive("Node.js", "typescript", r"node(?=:coverage)", "node:coverage disable"),
    Directive("Stryker", "typescript", r"Stryker(?=\s+(?:disable|restore))", "Stryker disable all"),
    Directive("browsers, source-map-loader", "typescript", r"source(?:Mapping)?URL(?=\s*=)", "# sourceMappingURL=x", True),
    Directive("Rollup, esbuild", "typescript", r"__(?=(?:PURE|NO_SIDE_EFFECTS|(?:NO)?INLINE)__)", "#__NO_SIDE_EFFECTS__", True),
    Directive("go build, controller-gen, code-generator", "go", r"(?=\+[A-Za-z])", "+kubebuilder:rbac:groups=*"),
    Directive("golangci-lint", "go", r"(?=nolint\b)", "nolint:all"),
    Directive("gosec", "go", r"#\s*(?=nosec\b)", "#nosec", True),
    Directive("Staticcheck, revive", "go", r"(?:lint|revive)(?=:[a-z])", "revive:disable"),
    Directive("exhaustive", "go", r"exhaustive(?=:)", "exhaustive:ignore"),
    Directive("go-swagger", "go", r"swagger(?=:[a-z])", "swagger:model x"),
    Directive("easyjson", "go", r"easyjson(?=:)", "easyjson:json"),
    Directive("rustdoc (tests)", "rustdoc", r">*(?=```|~~~)", "```\nfn main() {}"),
    Directive("rustdoc (tests)", "rustdoc", r"[ \t]*\t[ \t]*| {4,}", "x\n\n        main()", True, "   "),
    Directive("rustdoc", "rustdoc", r"\\*(?=[<\[])", "<script>", True, "{}{}\\"),
    Directive("Checkstyle", "java", r"CHECK(?=STYLE)", "CHECKSTYLE:OFF", True),
    Directive("PMD", "java", r"NO(?=PMD\b)", "NOPMD", True),
    Directive("PMD", "java", r"CPD(?=-O)", "CPD-OFF", True),
    Directive("Eclipse", "java", r"\$NON(?=-NLS)", "$NON-NLS-1$", True),
    Directive("Spotless", "java", r"spotless(?=:)", "spotless:off"),
    Directive("ktlint", "kotlin", r"ktlint(?=-)", "ktlint-disable"),
    Directive("detekt", "kotlin", r"detekt(?=:)", "detekt:all"),
    Directive("ClangFormat", "c", r"clang-(?=format\s)", "clang-format off"),
    Directive("Clang-Tidy", "c", r"NO(?=LINT)", "NOLINT", True),
    Directive("LCOV", "c", r"[LG]COV(?=R?_EXCL)", "LCOV_EXCL_LINE", True),
    Directive("Cppcheck", "c", r"cppcheck(?=-)", "cppcheck-suppress all"),
    Directive("include-what-you-use", "c", r"IWYU(?=\s+pragma)", "IWYU pragma: keep"),
    Directive("Doxygen", "doxygen", r"\\+(?=[A-Za-z])", "\\include /etc/passwd", True, "{}{}"),
    Directive("yaml-language-server", "yaml", r"yaml-language-server(?=:)", "yaml-language-server: $schema=https://x"),
    Directive("IntelliJ IDEA", "yaml", r"\$schema(?=:)", "$schema: https://x"),
    Directive("yamllint", "yaml", r"yamllint(?=\s+(?:dis|en)able)", "yamllint disable"),
    Directive("Prettier", "yaml", r"prettier(?=-ignore)", "prettier-ignore"),
    Directive("ansible-lint", "yaml", r"(?=noqa\b)", "noqa"),
    Directive("Checkov, Trivy, KICS", "yaml", r"(?:checkov|trivy|kics)(?=[:-])", "checkov:skip=x"),
    Directive("helm-schema, readme-generator", "yaml", r"(?=@(?:schema|param|section|skip)\b)", "@schema"),
    Directive("SQLFluff", "sql", r"(?=noqa\b)", "noqa"),
    Directive("luacheck", "sql", r"luacheck(?=:)", "luacheck: ignore"),
    Directive("markdownlint, Prettier, HTMLHint, textlint", "markdown", r"(?:markdownlint|prettier|htmlhint|textlint)(?=-)", "markdownlint-disable"),
    Directive("Vale", "markdown", r"vale(?=\s)", "vale off"),
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

    def broken(match: re.Match[str]) -> str:
        disarmed = _DISARMED[match.lastgroup] if match.lastgroup else _BACKSLASH
        return disarmed.replace("{}", match[0])

    return lambda text: expression.sub(broken, text)


# What is no group is compared by its first character, which is ten times as fast.
_DISARMED = {
    f"row_{number}": row.disarmed
    for number, row in enumerate(DIRECTIVES)
    if row.disarmed != _BACKSLASH
}


def _pattern(row: Directive) -> str:
    name = f"row_{DIRECTIVES.index(row)}"
    return f"(?P<{name}>{row.pattern})" if name in _DISARMED else row.pattern
