"""Reads YAML as Kubernetes does.

kubectl and the API server read YAML with go-yaml v2 (sigs.k8s.io/yaml,
goyaml.v2/resolve.go and decode.go), whose scalars are those of YAML 1.1 with
exceptions: ``=`` is a string, ``12:30:45`` is no sexagesimal number, timestamps stay
strings. Keys become strings, duplicate keys are refused. A text is split into
documents before it is parsed, at lines that begin with ``---`` (apimachinery,
pkg/util/yaml/decoder.go), so that a mistake in one document leaves the others
readable.

PyYAML gives the events. What is made of them is here, since no library resolves scalars
as go-yaml does, with the positions of keys and values, and within limits.

``document`` splits a text, ``compose`` makes values of events, ``scalars`` of texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubestencil.source.yaml.compose import (
    MAX_ALIASED_VARIABLE,
    MAX_DEPTH,
    compose,
)
from kubestencil.source.yaml.document import (
    Document,
    Position,
    Repeated,
    YamlError,
    position_at,
    split_lines,
)
from kubestencil.source.yaml.scalars import resolve

__all__ = [
    "MAX_ALIASED_VARIABLE",
    "MAX_DEPTH",
    "Document",
    "Position",
    "Repeated",
    "YamlError",
    "compose",
    "documents",
    "position_at",
    "resolve",
    "split_documents",
    "split_lines",
]

_SEPARATOR = re.compile(r"^---([^\n]*)\n?", re.MULTILINE)
# A byte order mark may begin each document, where files are joined.
_MARK = re.compile(r"\A((?:---[^\n]*\n)?)\ufeff")


def documents(text: str, where: str) -> Iterator[Document]:
    """The documents of a YAML text, as JSON values; empty ones are left out.

    ``where`` names the text in errors. Raises YamlError for a text that is not YAML,
    has a value that JSON does not have, duplicate keys, or more depth or nodes than
    the limits allow.
    """
    for line, part in split_documents(text, where):
        document = compose(part, where, line)
        if document is not None:
            for repeated in document.repeated:
                key = repeated.path[-1]
                at = repeated.at
                raise YamlError(f"the key {key!a} is duplicated", where=where, at=at)
            yield document


def split_documents(text: str, where: str) -> Iterator[tuple[int, str]]:
    """The documents of a text before they are parsed, each with its first line.

    Raises YamlError for a line that begins with ``---`` and goes on with anything but
    a comment, which Kubernetes refuses.
    """
    if "---" not in text:
        # Most files have one document.
        if text:
            yield 1, text
        return
    start = content = 0
    line = 1
    is_separated = False
    for separator in _SEPARATOR.finditer(text):
        end = separator.start()
        # Of two separators in a row, the second one belongs to the next document.
        if end > content or is_separated:
            yield line, _MARK.sub(r"\1", text[start:end])
            is_separated = False
        else:
            is_separated = True
        line += text.count("\n", start, end)
        start, content = end, separator.end()
        rest = separator[1].strip()
        if rest and not rest.startswith("#"):
            raise YamlError(
                f"{rest[:40]!a} follows --- on its line, which Kubernetes does not read",
                where=where,
                at=Position(line, 4),
                hint="write it on the next line",
            )
    if content < len(text):
        yield line, _MARK.sub(r"\1", text[start:])
