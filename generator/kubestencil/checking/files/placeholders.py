"""Placeholders of templates: what stands in a manifest until something fills it in."""

from __future__ import annotations

import re

# The delimiters of Helm and Jinja, of ERB, and of envsubst, Flux and shells; $(VAR) is
# that of kustomize. An expression for them, such as {{.*?}}, would search to the end of
# the text from each beginning.
_BRACES = ("{{", "}}")
_STATEMENT = ("{%", "%}")
_ERB = ("<%", "%>")
_VARIABLE = ("${", "}")
_KUSTOMIZE = re.compile(r"\$\([A-Za-z_][\w.-]*\)")


def has_placeholder(text: str) -> bool:
    """Whether something is still to be filled into a text: ``${REPLICAS}``."""
    return (
        any(_has(text, delimiters) for delimiters in (_VARIABLE, _BRACES, _ERB))
        or _KUSTOMIZE.search(text) is not None
    )


def is_template(text: str) -> bool:
    """Whether a text has directives of a template language: of Helm, Jinja, ERB."""
    return any(_has(text, delimiters) for delimiters in (_BRACES, _STATEMENT, _ERB))


def _has(text: str, delimiters: tuple[str, str]) -> bool:
    """Whether a text has the first delimiter, and the second one after it."""
    opening, closing = delimiters
    start = text.find(opening)
    return start >= 0 and text.find(closing, start + len(opening)) >= 0
