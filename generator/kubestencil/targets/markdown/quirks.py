"""Quirks of the published Markdown: what openapi-generator and ``sed`` did to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

#: The quirks that a manifest may ask for.
QUIRKS: Mapping[str, str] = {
    "backslash-quotes": "quotes and backslashes in descriptions have a backslash",
    "client-words": "words that begin with client get the package in front",
    "command-list": "the command of an operation that executes it in a Pod is a list",
    "delete-any": "an operation that deletes one object returns any object",
    "empty-links": "a type that is not a model links to a page without a name",
    "inline-models": "objects inside of definitions are models, named and merged as by "
    "a version of openapi-generator",
    "open-pipes": "pipes are not escaped in the rows of the listed fields and "
    "parameters, and of custom resources",
    "port-text": "the ports of an operation that forwards them are text",
    "silent-references": "a field that refers to a model has no description",
    "trimmed-notes": "no space follows the note of a field with a mapped name",
}


def backslash_quotes(text: str) -> str:
    """``text`` with quotes and backslashes escaped as in source code.

    openapi-generator escapes every description for source code, also in Markdown
    (DefaultCodegen.escapeText, AbstractPythonCodegen).
    """
    text = text.replace("\\/", "/").replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'''", "'_'_'")


def client_words(package: str) -> Callable[[str], str]:
    """A function that replaces ``client`` at the start of a word by ``PACKAGE.client``.

    The clients are generated as a package named client, and moved into their own
    package with ``sed``, which is applied to the Markdown, too (kubernetes-client/gen,
    openapi/python.sh).
    """
    # The pattern begins with the word, since re finds a literal prefix as fast as
    # str.find does. What stands before the word is checked afterwards.
    word = re.compile(r"client(?<!\wclient)(?!-python\b)")
    return lambda page: word.sub(f"{package}.client", page)
