"""What must hold for generated files, whatever the document was."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import rjsonnet

from tests.hostile.texts import CANARY

Files = Mapping[str, bytes]
# What a sentence of a description may become. Other elements are those of templates.
_PROSE = {
    *("p", "code", "em", "strong", "a", "ul", "ol", "li", "pre", "br", "wbr", "b", "i"),
    *("span", "kbd", "del", "ins", "mark", "blockquote", "h5", "h6"),
}
_FORBIDDEN = {"svg", "iframe", "object", "embed", "base", "math", "applet"}
_SCHEMES = ("", "http", "https")


class Elements(HTMLParser):
    """The elements of a page, in order: names, and the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.problems: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(sorted(name for name, _ in attrs))))
        is_in_body = ("body", ()) in self.elements[:-1]
        # The site draws charts, whose labels are texts of the release's name.
        is_chart = tag == "svg" and {"role", "aria-label"} <= {
            name for name, _ in attrs
        }
        is_forbidden = tag in _FORBIDDEN and not is_chart
        if is_forbidden or (tag == "style" and is_in_body):
            self.problems.append(f"has an element {tag}")
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc", "formaction"):
                self.problems.append(f"has an attribute {name}")
            if name in ("href", "src", "action"):
                text = re.sub(r"[\x00-\x20]", "", value or "").lower()
                scheme, colon, _ = text.partition(":")
                is_path = not colon or re.search(r"[/?#]", scheme)
                if not is_path and scheme not in _SCHEMES:
                    self.problems.append(f"has a link to {value!r:.80}")

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", ()))


def problems(folder: Path) -> Iterator[str]:
    """What is wrong with the files in a folder of generated files."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            yield f"{path.relative_to(folder)} is a link"
        elif path.is_file() and ".kubestencil" not in path.parts:
            for problem in _file_problems(path.suffix, path.read_bytes()):
                yield f"{path.relative_to(folder)} {problem}"
    for package in sorted(folder.rglob("*/python/*/__init__.py")):
        yield from _import_problems(package.parent)
    yield from _jsonnet_problems(folder)


@cache
def _file_problems(suffix: str, data: bytes) -> tuple[str, ...]:
    check = _CHECKS.get(suffix)
    return () if check is None else tuple(check(data))


def _json_problems(data: bytes) -> Iterator[str]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        json.loads(data, parse_constant=refuse)
    except ValueError as error:
        yield f"is no JSON: {error}"


def _html_problems(data: bytes) -> Iterator[str]:
    yield from sorted(set(Elements(data.decode()).problems))


def _source_problems(grammar: str) -> Callable[[bytes], Iterator[str]]:
    def check(data: bytes) -> Iterator[str]:
        # The grammar for TypeScript is older than this syntax of TypeScript 5.
        data = data.replace(b"\nexport type * as ", b"\nexport * as ")
        data.decode()
        parser = _parser(grammar)
        if parser is not None and (root := parser.parse(data).root_node).has_error:
            yield f"does not parse: {_error_line(root, data)!r}"

    return check


@cache
def _parser(grammar: str) -> Any:
    """A parser of tree-sitter; None where it is not installed."""
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        module = importlib.import_module(f"tree_sitter_{grammar}")
    except ImportError:
        return None
    language = getattr(module, f"language_{grammar}", None) or module.language
    return tree_sitter.Parser(tree_sitter.Language(language()))


def missing_parsers() -> list[str]:
    """The grammars that are not installed, whose files are not parsed."""
    return [name for name in ("rust", "typescript") if _parser(name) is None]


def _error_line(node: Any, data: bytes) -> str:
    while not (node.type == "ERROR" or node.is_missing):
        node = next(
            child for child in node.children if child.has_error or child.is_missing
        )
    return data[max(0, node.start_byte - 60) : node.start_byte + 100].decode(
        errors="replace"
    )


def _python_problems(data: bytes) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile(data, "printed", "exec")
    except (SyntaxError, ValueError, Warning) as error:
        yield f"does not compile: {error}"


def _import_problems(package: Path) -> Iterator[str]:
    """What is wrong with a package of Python models: importing it runs nothing of a
    text of the document."""
    modules = sorted(
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
    )
    sys.path.insert(0, str(package.parent))
    sys.dont_write_bytecode = True
    try:
        for name in modules:
            importlib.import_module(name.removesuffix(".__init__"))
    except BaseException as error:
        yield f"{package.name} cannot be imported: {error!r:.500}"
    finally:
        sys.path.remove(str(package.parent))
        for name in [*sys.modules]:
            if name.split(".")[0] == package.name:
                del sys.modules[name]
    if hasattr(builtins, CANARY):
        delattr(builtins, CANARY)
        yield f"{package.name} runs text of the document"


def _jsonnet_problems(folder: Path) -> Iterator[str]:
    """What is wrong with Jsonnet files: each is parsed, and its object made."""
    paths = [*folder.rglob("*.libsonnet"), *folder.rglob("*.jsonnet")]
    for path in sorted(paths):
        program = f"std.type(import {json.dumps(str(path))})"
        try:
            rjsonnet.evaluate_snippet("check", program)
        except RuntimeError as error:
            if "syntax" in str(error).lower() or "expected" in str(error).lower():
                yield f"{path.relative_to(folder)} does not parse: {error!s:.500}"


_CHECKS: Mapping[str, Callable[[bytes], Iterator[str]]] = {
    ".json": _json_problems,
    ".py": _python_problems,
    ".html": _html_problems,
    ".rs": _source_problems("rust"),
    ".ts": _source_problems("typescript"),
}


def element_problems(hostile: Path, plain: Path, *, same: bool) -> Iterator[str]:
    """How the elements of HTML pages differ from those of the same documents with plain
    texts; unless ``same``, elements that descriptions may have are left out."""
    both = [Counter(_pages(folder, same)) for folder in (hostile, plain)]
    if both[0] != both[1]:
        only = [
            sorted((both[i] - both[1 - i]).items(), key=lambda item: str(item))[:1]
            for i in (0, 1)
        ]
        yield f"HTML has other elements than with plain texts: {_difference(*only)}"


def _difference(hostile: list[Any], plain: list[Any]) -> str:
    if not hostile or not plain:
        return f"{len(hostile)} and {len(plain)} pages"
    first, second = hostile[0][0], plain[0][0]
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return f"element {index}: {first[index - 2:index + 4]} and {second[index - 2:index + 4]}"
    return f"{len(first)} and {len(second)} elements"


def _pages(folder: Path, same: bool) -> Iterator[tuple[Any, ...]]:
    for path in sorted(folder.rglob("*.html")):
        elements = Elements(path.read_text()).elements
        yield tuple(
            element
            for element in elements
            # A long word may be broken where it has punctuation.
            if element[0] != "wbr" and (same or element[0] not in _PROSE)
        )


with contextlib.suppress(ImportError):  # What generated packages import.
    import msgspec  # noqa: F401
