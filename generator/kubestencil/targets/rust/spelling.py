"""Names, types and texts in Rust.

Names and documentation are those of k8s-openapi (Arnavion/k8s-openapi), because
code in the world depends on them. What no Kubernetes document has is spelled so
that it compiles, and so that rustdoc neither runs it nor shows it as anything
but text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

# The Rust Reference, "Keywords": strict and reserved ones of edition 2021 and 2024.
_KEYWORDS = frozenset(
    [
        "abstract",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "crate",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "gen",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "self",
        "static",
        "struct",
        "super",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
    ]
)
# What the printed code says without a path. A type with such a name would be
# taken for it in its own file.
_PRELUDE = frozenset(
    [
        "BTreeMap",
        "Box",
        "None",
        "Ok",
        "Err",
        "Option",
        "Self",
        "Some",
        "String",
        "Vec",
        "bool",
        "f64",
        "i32",
        "i64",
        "str",
        "u8",
        "usize",
    ]
)
# k8s-openapi names these by hand: the plurals would become cluster_i_ps.
_FIXED = {
    "$ref": "ref_path",
    "$schema": "schema",
    "clusterIPs": "cluster_ips",
    "externalIPs": "external_ips",
    "hostIPs": "host_ips",
    "nonResourceURLs": "non_resource_urls",
    "podCIDRs": "pod_cidrs",
    "podIPs": "pod_ips",
    "serverAddressByClientCIDRs": "server_address_by_client_cidrs",
    "targetWWNs": "target_wwns",
}
_WORD = re.compile(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^A-Z])")
_NOT_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
# Text that changes the direction of what follows is an error for rustc, and a
# carriage return in a comment, too.
_FORBIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_SPECIAL = str.maketrans(
    {"\\": r"\\", "[": r"\[", "]": r"\]", "<": r"\<", ">": r"\>", "\t": "    "}
)
_LITERAL = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"})
# Code blocks that do not need an empty line before them (CommonMark 0.31, 4.4,
# 5.2): after a line that is no paragraph, and inside the item of a list.
_NO_PARAGRAPH = re.compile(r"\s*(?:#{1,6}(?:\s.*)?|[-+=*_|:\s]*|\d{1,9}[.)]\s*)$")
_CODE_IN_ITEM = re.compile(r"(\s*(?:[-+*]|\d{1,9}[.)]))\s{5,}(?=\S)")

#: How long rustfmt lets a line be.
WIDTH = 100


@cache
def field_name(name: str) -> str:
    """The field, file or module for a name: ``podIP`` is ``pod_ip``.

    Always an identifier, whatever the name is.
    """
    fixed = _FIXED.get(name)
    return fixed or _identifier(_WORD.sub("_", name).lower())


@cache
def type_name(kind: str) -> str:
    """The type for the last part of a definition's name, which it mostly is."""
    name = _identifier(kind)
    return f"{name}_" if name in _PRELUDE else name


def crate_name(package: str) -> str:
    """What code calls a package of Cargo's: ``kubernetes_types``."""
    return package.replace("-", "_")


def distinct(names: Iterable[str]) -> list[str]:
    """``names`` in their order, those that come again with a number."""
    result: dict[str, None] = {}
    for name in names:
        free, number = name, 1
        while free in result:
            number += 1
            free = f"{name}_{number}"
        result[free] = None
    return list(result)


@cache
def doc(text: str, indent: str = "") -> str:
    """``text`` as a documentation comment, each line behind ``indent``."""
    return "".join(f"{indent}///{line}\n" for line in _doc_lines(text))


@cache
def string(text: str) -> str:
    """A string literal."""
    quoted = text.translate(_LITERAL)
    if not quoted.isprintable():
        quoted = "".join(map(_literal_character, quoted))
    return f'"{quoted}"'


def field(name: str, spelled: str) -> str:
    """``pub name: Type,`` in the body of a struct, broken as rustfmt breaks it."""
    line = f"    pub {name}: {spelled},"
    return line if len(line) <= WIDTH else f"    pub {name}:\n        {spelled},"


def fits(spelled: str) -> bool:
    """Whether rustfmt can put a type on a line of its own."""
    return len(spelled) + len("        ,") <= WIDTH


def _identifier(name: str) -> str:
    plain = _NOT_IDENTIFIER.sub("_", name)
    if plain in _KEYWORDS:
        return f"{plain}_"
    if plain.strip("_") == "" or plain[0].isdigit():
        return f"_{plain}_" if plain.strip("_") == "" else f"_{plain}"
    return plain


def _doc_lines(text: str) -> Iterable[str]:
    previous = ""
    for raw in text.replace("\r\n", "\n").split("\n") if text else ():
        line = raw if raw.isprintable() else _FORBIDDEN.sub("\ufffd", raw)
        line = line.translate(_SPECIAL).replace("```", "").replace("~~~", r"\~~~")
        line = line.rstrip()
        if line.startswith("    ") and _NO_PARAGRAPH.match(previous):
            line = f"  {line.lstrip()}"
        elif "     " in line:
            line = _CODE_IN_ITEM.sub(r"\1 ", line)
        previous = line
        yield f" {line}" if line else ""


def _literal_character(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"
