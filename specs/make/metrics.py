"""The table ``metrics``: the metrics of components, read from the code that declares them.

A metric is declared by options, ``NewCounter(&metrics.CounterOpts{Name: …})``, or by the
arguments of ``NewDesc``. Options without a stability are alpha (component-base,
metrics/opts.go: ``setDefaults``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from specs.make.checkouts import Checkout, imports

# The modules that components are made of, and the folders in which theirs is.
_MODULES = (
    *("apiextensions-apiserver", "apiserver", "client-go", "cloud-provider"),
    *("component-base", "controller-manager", "dynamic-resource-allocation"),
    *("endpointslice", "kube-aggregator", "kubernetes", "pod-security-admission"),
)
# In cluster/ are programs that are none of the components.
_LEFT_OUT = re.compile(
    r"_test\.go\Z|/(?:cluster|test|testing|staging|third_party|vendor)/"
)
_LIBRARY = "k8s.io/component-base/metrics"
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_STABILITY = re.compile(r"\b\w+\.(STABLE|BETA|ALPHA)\Z")
_OPTIONS = re.compile(r"(?:\bNew(\w+?)(?:Vec|Func)?\(\s*)?&?(?:\b\w+\.)?\b(\w+)Opts\{")
_DESCRIPTION = re.compile(r"\bNewDesc\(")
_FULL_NAME = re.compile(r"(?:\w+\.)?BuildFQName\((.*)\)\Z", re.DOTALL)
_FIELD = re.compile(r"\s*(\w+):\s*(.*)\Z", re.DOTALL)
_CONSTANT = re.compile(
    r"^\s*(?:const\s+|var\s+)?(\w+)(?:\s+string)?\s*=\s*"
    r'((?:[\w.]+\s*\+\s*)*"[^"]*"(?:\s*\+\s*[\w."]+)*)',
    re.MULTILINE,
)
# Texts of Go, and what opens, closes and separates what is between parentheses.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|[(\[{]|[)\]}]|,')
# A metric whose help says it, and no version, is deprecated in its release.
_DEPRECATED = "[DEPRECATED"


class _Metric(NamedTuple):
    """What a declaration says, as expressions of Go: ``name`` has its parts."""

    name: Sequence[str]
    type: str
    stability: str
    help: str
    deprecated: str


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release. Raises SourceError where a module is missing,
    and for a metric whose name is no constant."""
    found = {}
    for module in _MODULES:
        for folder in _folders(checkout.module(module)):
            text = _source(folder)
            for metric in _metrics(text):
                texts = [_text(checkout, folder, text, each) for each in metric.name]
                name = "_".join(filter(None, texts))
                deprecated = _text(checkout, folder, text, metric.deprecated)
                if not deprecated and _DEPRECATED in metric.help:
                    deprecated = checkout.release
                release = ".".join(deprecated.split(".")[:2])
                found[name] = metric.type, metric.stability, release
    for name, facts in sorted(found.items()):
        yield name, *facts


def _folders(root: Path) -> Sequence[Path]:
    """The folders of a module with code that may declare metrics."""
    paths = (path for path in root.rglob("*.go") if _is_read(path, root))
    library = f'"{_LIBRARY}"'.encode()
    return sorted({path.parent for path in paths if library in path.read_bytes()})


def _is_read(path: Path, root: Path) -> bool:
    return not _LEFT_OUT.search(f"/{path.relative_to(root)}")


@cache
def _source(folder: Path) -> str:
    """The sources of a package, without comments."""
    files = sorted(folder.glob("*.go"))
    texts = (
        path.read_text("utf-8") for path in files if not _LEFT_OUT.search(path.name)
    )
    return _COMMENT.sub("", "\n".join(texts))


def _metrics(text: str) -> Iterator[_Metric]:
    """The metrics that a package declares, but for those of no stability at all."""
    for match in _OPTIONS.finditer(text):
        fields = {
            str(field[1]): str(field[2])
            for argument in _arguments(text, match.end())
            if (field := _FIELD.match(argument))
        }
        stated = fields.get("StabilityLevel", "metrics.ALPHA")
        if "Name" in fields and (stability := _STABILITY.search(stated)):
            yield _Metric(
                [fields.get(key, "") for key in ("Namespace", "Subsystem", "Name")],
                match[1] or match[2],
                stability[1].lower(),
                fields.get("Help", ""),
                fields.get("DeprecatedVersion", ""),
            )
    for match in _DESCRIPTION.finditer(text):
        arguments = _arguments(text, match.end())
        if len(arguments) > 5 and (stability := _STABILITY.search(arguments[4])):
            name = _FULL_NAME.match(arguments[0])
            yield _Metric(
                _arguments(name[1], 0) if name else arguments[:1],
                "Custom",
                stability[1].lower(),
                arguments[1],
                arguments[5],
            )


def _arguments(text: str, start: int) -> list[str]:
    """What is between commas from behind a parenthesis until the one that closes it."""
    arguments, depth = [], 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        if depth < 0 or (token[0] == "," and not depth):
            arguments.append(text[start : token.start()].strip())
            start = token.end()
        if depth < 0:
            return [argument for argument in arguments if argument]
    return [*arguments, text[start:].strip()]


def _text(checkout: Checkout, folder: Path, source: str, expression: str) -> str:
    """What an expression of a package is: a text, a constant of it or of a package that it
    imports, or several of these behind each other."""
    first, plus, others = expression.partition("+")
    if plus:
        parts = (first.strip(), others.strip())
        return "".join(_text(checkout, folder, source, part) for part in parts)
    if not expression or expression.startswith('"'):
        return expression.strip('"')
    alias, _, name = expression.rpartition(".")
    if alias:
        package = imports(source).get(alias, "")
        module, _, path = package.removeprefix("k8s.io/").partition("/")
        is_own = package.startswith("k8s.io/")
        source = _source(checkout.module(module) / path) if is_own else ""
    constants: dict[str, str] = dict(_CONSTANT.findall(source))
    if name not in constants:
        raise SourceError(
            f"declares a metric with {expression}, which is no constant",
            where=str(folder),
        )
    return _text(checkout, folder, source, constants[name])
