"""Identifiers, literals and documentation comments of Rust.

Names and documentation are those of k8s-openapi (Arnavion/k8s-openapi), because existing
code depends on them. Unusual names and texts, which no Kubernetes document has, are
spelled so that they compile, and so that rustdoc finds neither links nor tests in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kubestencil.text.languages import reserved_words

KEYWORDS = reserved_words("rust")
# What the templates name without a path: a type called like that would shadow it in its
# own file. The macros declare the types in the last line.
_PRELUDE = frozenset(
    [
        "BTreeMap", "Box", "None", "Ok", "Err", "From", "Option", "Result", "Self",
        "Some", "String", "Vec", "bool", "f64", "i16", "i32", "i64", "i8", "std",
        "str", "u16", "u32", "u64", "u8", "usize",
        "Key__", "Whole__",
    ]
)  # fmt: skip
# Fields that k8s-openapi names by hand: the plurals would become cluster_i_ps.
_IRREGULAR = {
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
_WORD_START = re.compile(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^A-Z])")
_NOT_IN_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
# rustc rejects comments with characters that change the direction of text, or with a
# carriage return.
_REJECTED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
# The backslash comes first. str.translate() takes up to ten times as long as
# all replacements.
_DOC_ESCAPES = {
    "\\": r"\\", "[": r"\[", "]": r"\]", "<": r"\<", ">": r"\>", "\t": "    "
}  # fmt: skip
_STRING_ESCAPES = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"}
# rustdoc runs code blocks. An indented line is one unless it continues a paragraph, also
# inside of a list item (CommonMark 0.31, 4.4 and 5.2). The first expression matches
# lines that are no paragraph, the second the start of a list item with code in it.
_NO_PARAGRAPH = re.compile(r"(?:#{1,6}(?:\s.*)?|[-+=*_|:\s]*|\d{1,9}[.)])$")
_CODE_IN_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])\s{5,}(?=\S)")

#: The longest line that rustfmt leaves as it is (``max_width``).
WIDTH = 100


def field_name(name: str) -> str:
    """The name of a field, file or module: ``pod_ip`` for ``podIP``.

    It is an identifier, whatever ``name`` is.
    """
    return _IRREGULAR.get(name) or _identifier(snake_case(name))


def snake_case(name: str) -> str:
    """``pod_ip`` for ``podIP``, whether or not that is an identifier."""
    return _WORD_START.sub("_", name).lower()


def module_name(name: str) -> str:
    """The module of a group or version: ``cert_manager_io`` for ``cert-manager.io``."""
    return _identifier(name)


def type_name(kind: str) -> str:
    """The name of a type, from the last part of its definition's name."""
    name = _identifier(kind)
    return f"{name}_" if name in _PRELUDE else name


def crate_name(package: str) -> str:
    """The name that code has for a Cargo package: ``kubernetes_types``."""
    return package.replace("-", "_")


def doc_comment(text: str, indent: str = "") -> str:
    """``text`` as a documentation comment of lines that start with ``indent``."""
    return "".join(
        [
            f"{indent}/// {line}\n" if line else f"{indent}///\n"
            for line in _doc_lines(text)
        ]
    )


def string_literal(text: str) -> str:
    """``text`` as a string literal, in printable characters."""
    quoted = _escaped(text, _STRING_ESCAPES)
    if not quoted.isprintable():
        quoted = "".join(map(_escaped_character, quoted))
    return f'"{quoted}"'


def field_declaration(name: str, type_: str) -> str:
    """``pub name: Type,`` in the body of a struct, with rustfmt's line breaks."""
    line = f"    pub {name}: {type_},"
    return line if len(line) <= WIDTH else f"    pub {name}:\n        {type_},"


def _identifier(name: str) -> str:
    identifier = _NOT_IN_IDENTIFIER.sub("_", name)
    if identifier in KEYWORDS:
        return f"{identifier}_"
    if identifier.strip("_") == "":
        return f"_{identifier}_"
    return f"_{identifier}" if identifier[0].isdigit() else identifier


def _doc_lines(text: str) -> Iterable[str]:
    """The lines of a comment behind ``///``, in which rustdoc finds text only: no link,
    no HTML, no code block."""
    if not text:
        return ()
    text = text.replace("\r\n", "\n")
    if not text.replace("\n", "").isprintable():
        text = _REJECTED.sub("\ufffd", text)
    text = _escaped(text, _DOC_ESCAPES).replace("```", "").replace("~~~", r"\~~~")
    lines = map(str.rstrip, text.split("\n"))
    return _without_code(lines) if "    " in text else lines


def _without_code(lines: Iterable[str]) -> Iterator[str]:
    """``lines``, of which none begins a code block by its indentation."""
    previous = ""
    for line in lines:
        if line.startswith("    ") and _NO_PARAGRAPH.match(previous.strip()):
            line = f"  {line.lstrip()}"
        elif "     " in line:
            line = _CODE_IN_ITEM.sub(r"\1 ", line)
        previous = line
        yield line


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    for character, escape in escapes.items():
        text = text.replace(character, escape)
    return text


def _escaped_character(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"
