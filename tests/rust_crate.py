"""Facts about the types of a generated crate, read from its text: fields, docs, traits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FIELD = re.compile(r"((?:    ///.*\n)*)    pub (\w+):\s+(.*),\n")
_TYPE = re.compile(
    r"((?:///.*\n)*)#\[derive\((.*)\)\]\n(?:#\[rustfmt::skip\].*\n)?"
    r"pub (struct|enum) (\w+)"
)
_ROW = re.compile(r'^        (\w+): (\w+) ("(?:[^"\\]|\\.)*") \[(.*)\];$', re.M)
_CONST = re.compile(r'const (?!NAME)(\w+): &\'static str = ("(?:[^"\\]|\\.)*"|T::\w+);')
_MISSING = {"optional": "none", "required": "default", "mandatory": "error"}

_NOT_A_TYPE = {
    "lib", "byte_string", "deep_merge", "resource", "schema", "string_enum", "wire", "mod"
}  # fmt: skip

Facts = dict[str, Any]


def read_crate(folder: Path) -> dict[str, Facts]:
    """The facts about every type of the crate in ``folder``, by the type's path."""
    source = folder / "src"
    return dict(
        _type_facts(path, path.relative_to(source).parent.parts)
        for path in source.rglob("*.rs")
        if path.stem not in _NOT_A_TYPE
    )


def digest(facts: Facts) -> str:
    """A short digest of the facts about one type."""
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _type_facts(path: Path, module: tuple[str, ...]) -> tuple[str, Facts]:
    text = path.read_text("utf-8")
    match = _TYPE.search(text)
    assert match, path
    docs, derives, kind, name = match.groups()
    body = text[match.end() :].partition("\n\n" if text[match.end()] == "(" else "\n}")[
        0
    ]
    rows = {row[1]: row.groups() for row in _ROW.finditer(text)}
    facts: Facts = {
        "doc": _doc(docs),
        "derives": sorted(derives.split(", ")),
        "fields": [],
        "inner": None,
        "variants": [],
        "resource": dict(_resource(text, module)),
    }
    if kind == "enum":
        facts["variants"] = [full_paths(variant, module) for variant in _variants(body)]
    elif body.startswith("("):
        inner = body.removeprefix("(pub ").removesuffix(");")
        facts["inner"] = full_paths(inner, module)
    elif name != "List":
        for field_doc, field, type_ in _FIELD.findall(f"{body}\n"):
            _, presence, wire, merge = rows[field]
            facts["fields"].append(
                {
                    "name": field,
                    "type": full_paths(type_, module),
                    "json": json.loads(wire),
                    "missing": _MISSING[presence],
                    "merge": merge_strategy(merge),
                    "doc": _doc(field_doc),
                }
            )
    return "::".join((*module, name)), facts


def full_paths(type_: str, module: tuple[str, ...]) -> str:
    """A type as k8s-openapi's facts have it: with full paths in the crate, and without
    those of the standard library."""
    text = re.sub(r"\s|crate::|std::(?:vec|string|boxed|collections)::", "", type_)
    text = re.sub(r",(?=[})])", "", text)
    return text.replace("super::", "".join(f"{part}::" for part in module))


def merge_strategy(text: str) -> list[Any]:
    """The name of a strategy, followed by the keys of list::map or by the strategy of the
    values of map::granular."""
    name, _, arguments = text.partition("(")
    if name == "list::map":
        return [name, re.findall(r"\|l, r\| l\.([\w.]+) == r\.", arguments)]
    if name == "map::granular":
        inner = arguments.rstrip(")").removeprefix("crate::")
        deep = inner == "DeepMerge::merge_from"
        return [name, ["deep"] if deep else [inner.removeprefix("merge_strategies::")]]
    return [name]


def _doc(text: str) -> str:
    lines = (line.strip()[3:] for line in text.splitlines())
    return "\n".join(line.removeprefix(" ") for line in lines)


def _variants(body: str) -> Iterator[str]:
    variant = re.compile(r"^    (\w+(?:\(.*\)| \{\n(?: {8}.*\n)+    \})),$", re.M)
    return iter(variant.findall(f"{body}\n"))


def _resource(text: str, module: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, value in _CONST.findall(text):
        yield name, value if value.startswith("T::") else json.loads(value)
    for name in ("Scope", "Ty"):
        match = re.search(rf"type {name} = (.*);", text)
        if match:
            yield name, full_paths(match[1], module)
