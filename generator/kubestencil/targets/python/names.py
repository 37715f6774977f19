"""How Python is spelled: names, types, literals, docstrings.

The names are those of Kubernetes' Python clients, which are made by
kubernetes-client/gen (which shortens the names of the definitions) and
openapi-generator (which spells classes and attributes). Code in the world depends
on the names, so both are reproduced, release by release of openapi-generator
where they differ. Literals and docstrings are spelled as black leaves them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from keyword import iskeyword

from kubestencil.errors import SpecError

_SEPARATOR = re.compile(r"[._-]")
_NOT_WORD = re.compile(r"[^A-Za-z0-9_]")
# Where one word of a name ends and the next begins: after a small letter, and where
# a run of capitals ends. For that openapi-generator 4 wants one small letter after
# the last capital (podCIDRs is pod_cid_rs), later ones want two (pod_cidrs).
# OpenAPITools/openapi-generator, StringUtils.underscore.
_WORD_END = {
    "split": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"),
    "whole": re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z][a-z])"),
}

# Words that an attribute may not have beside Python's own: openapi-generator's
# python generator lists what Python 2 reserved, and the names of its locals.
_RESERVED = frozenset(
    [
        "all_params",
        "auth_settings",
        "body_params",
        "exec",
        "false",
        "form_params",
        "header_params",
        "local_var_files",
        "none",
        "nonlocal",
        "path_params",
        "print",
        "property",
        "query_params",
        "resource_path",
        "self",
        "true",
    ]
)

#: The length of a line, as black has it.
WIDTH = 88

# What cannot stand in a literal as it is: the end of it, an escape, and all that
# is not plain ASCII, of which _escaped lets pass what people can see.
_SPECIAL = re.compile(r'[\\"]|[^ -~]')
_SPECIAL_IN_DOCSTRING = re.compile(r'\\|"""|[^\n -~]')

#: The acronym rules by name, for ``target.toml``.
ACRONYMS = tuple(_WORD_END)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one release of openapi-generator spells attributes.

    ``acronyms`` is "split" or "whole"; ``reserved_prefix`` goes before a
    reserved word or a digit; ``mapped`` has the JSON names whose attributes the
    client's project gave by hand; ``reserved`` and ``reserved_classes`` the
    attributes and the classes that printed code needs for itself.
    """

    acronyms: str = "split"
    reserved_prefix: str = "_"
    mapped: Mapping[str, str] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()
    reserved_classes: frozenset[str] = frozenset()

    def attribute(self, name: str) -> str:
        """The attribute for a JSON name: ``podIP`` is ``pod_ip``.

        Always an identifier, whatever the name is.
        """
        mapped = self.mapped.get(name)
        if mapped:
            return mapped
        plain = _attribute(name, self.acronyms, self.reserved_prefix)
        return f"{self.reserved_prefix}{plain}" if plain in self.reserved else plain


@cache
def _attribute(name: str, acronyms: str, reserved_prefix: str) -> str:
    words = name.replace("$", "").replace("-", "_").replace(".", "_")
    words = words.replace("/", "_").replace(" ", "_")
    plain = snake_case(_NOT_WORD.sub("", words), acronyms).lstrip("_")
    if iskeyword(plain) or plain in _RESERVED or not plain.isidentifier():
        return f"{reserved_prefix}{plain}"
    return plain


@cache
def snake_case(name: str, acronyms: str) -> str:
    """``nodePort`` as ``node_port``; ``acronyms`` as in ``Spelling``."""
    return _WORD_END[acronyms].sub("_", name).lower()


def module_name(name: str, acronyms: str) -> str:
    """The module of a class: ``V1Pod`` is in ``v1_pod``."""
    module = snake_case(name, acronyms)
    return f"model_{module}" if iskeyword(module) else module


@cache
def literal(text: str) -> str:
    """``text`` as a string literal in double quotes, on one line."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


@cache
def docstring(text: str, indent: int) -> str:
    """``text`` as a docstring that begins in column ``indent``.

    Long lines are broken at spaces. Empty where ``text`` has nothing to say.
    """
    text = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    if not text:
        return ""
    # A quote beside the quotes would be a part of them, or is moved away by black.
    opening = '"""\n' if text[0] == '"' else '"""'
    closing = ' """' if text[-1] == '"' else '"""'
    text = opening + _SPECIAL_IN_DOCSTRING.sub(_escaped, text)
    lines = _wrapped(text, WIDTH - indent - len(closing))
    if len(lines) == 1:
        return text + closing
    first, *rest = lines
    extra = min((_indentation(line) for line in rest if line), default=0)
    margin = " " * indent
    body = (margin + line[extra:] if line else "" for line in rest)
    return "\n".join([first, *body, f'{margin}"""'])


def class_names(
    definitions: Iterable[str], reserved: frozenset[str] = frozenset()
) -> Mapping[str, str]:
    """The class of each definition: ``io.k8s.api.core.v1.Pod`` is ``V1Pod``.

    Kubernetes' own definitions are shortened to version and kind, and keep one
    part more as long as two would be the same (kubernetes-client/gen,
    ``remove_model_prefixes``); others keep their whole name, and a name in
    ``reserved`` gets the prefix of a reserved word. Raises SpecError where two
    definitions get the same class.
    """
    return _class_names(tuple(definitions), reserved)


# Several targets print the same release.
@cache
def _class_names(
    definitions: tuple[str, ...], reserved: frozenset[str]
) -> Mapping[str, str]:
    classes: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, short in _short_names(definitions).items():
        spelled = class_name(short)
        if spelled in reserved:
            spelled = f"Model{spelled}"
        other = taken.setdefault(spelled.casefold(), name)
        if other != name:
            raise SpecError(
                f"two definitions get the name {spelled}: {other} and {name}",
                hint="rename one of them in the document",
            )
        classes[name] = spelled
    return classes


def class_name(short: str) -> str:
    """``v1.Pod`` as ``V1Pod``; always an identifier that Python does not reserve."""
    spelled = "".join(part[:1].upper() + part[1:] for part in _SEPARATOR.split(short))
    if iskeyword(spelled) or not spelled.isidentifier():
        return f"Model{spelled}"
    return spelled


def _short_names(definitions: Iterable[str]) -> dict[str, str]:
    parts = {name: (2 if name.startswith("io.k8s") else 0) for name in definitions}
    while True:
        short: dict[str, str] = {}
        owners: dict[str, list[str]] = {}
        for name, count in parts.items():
            short[name] = ".".join(name.rsplit(".", count)[1:]) if count else name
            owners.setdefault(short[name], []).append(name)
        longer = [
            name
            for names in owners.values()
            if len(names) > 1
            for name in names
            if parts[name] and parts[name] <= name.count(".")
        ]
        if not longer:
            return short
        for name in longer:
            parts[name] += 1


def _escaped(match: re.Match[str]) -> str:
    """What stands for a piece of text that a literal cannot hold as it is.

    A quote is spelled as a number, since black would change the quotes around it.
    """
    text = match[0]
    if text == "\\":
        return "\\\\"
    if text == '"""':
        return '\\"\\"\\"'
    if text == '"':
        return "\\x22"
    if text.isprintable():
        return text
    code = ord(text)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _wrapped(text: str, space: int) -> list[str]:
    """The lines of ``text``, long ones in pieces of up to ``space`` columns."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= space:
            lines.append(line.rstrip())
            continue
        margin = " " * _indentation(line)
        while len(line) > space:
            cut = line.rfind(" ", len(margin), space + 1)
            if cut <= len(margin):
                cut = line.find(" ", space)
            if cut < 0:
                break
            lines.append(line[:cut].rstrip())
            line = margin + line[cut:].lstrip()
        lines.append(line.rstrip())
    return lines


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
