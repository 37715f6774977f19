"""Scripts and styles of pages as browsers load them: without comments and indentation.

They are written for people, and a third of their bytes is for people only. Those of
others, in ``vendor/``, stay as they are, with their licences.
"""

from __future__ import annotations

import re
from pathlib import PurePath

# Comments and indentation. No script has a text of several lines.
_SCRIPT = re.compile(
    rb"^[ \t]*(?://.*|/\*\*[\s\S]*?\*/)?\n|^[ \t]+|(?<=[;{},]) // .*$", re.MULTILINE
)
# No text of a style sheet has one of these characters beside a space.
_STYLE = re.compile(rb"/\*[\s\S]*?\*/|(?<=[{};:,>])\s+|;?\s+(?=[{}>])")


def compact(name: str, data: bytes) -> bytes:
    """The file ``name`` in fewer bytes; what is neither script nor style, unchanged."""
    if name.startswith("vendor/"):
        return data
    pattern = {".js": _SCRIPT, ".css": _STYLE}.get(PurePath(name).suffix)
    return pattern.sub(b"", data) if pattern else data
