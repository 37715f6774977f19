"""Whether a description says that a type or field is deprecated."""

from __future__ import annotations

import re

# Go's convention is a paragraph that begins with "Deprecated:" (https://go.dev/wiki/
# Deprecated); the document joins paragraphs, so that it may begin anywhere. The other
# sentences are those of Kubernetes' own descriptions.
_DEPRECATED = re.compile(
    r"(?<!\S)(?:Deprecated|DEPRECATED):"
    r"|(?:\A|(?<=[.!?]\s)|(?<=\n))[^\S\n]*(?:Deprecated|DEPRECATED)\."
    r"|\A\w+ is (?:a|the) deprecated\b"
    r"|\b(?:This|The) (?:API|field|type)\b[^.\n]{0,80}\bis deprecated\b"
)


def is_deprecated(description: str) -> bool:
    """Whether a description calls its own subject deprecated: "Deprecated: …", "This
    API is deprecated", "X is a deprecated alias"."""
    # Most descriptions are decided by the search of a word.
    return "eprecated" in description.lower() and bool(_DEPRECATED.search(description))
