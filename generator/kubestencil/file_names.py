"""Names that a file or folder can have on every platform.

Windows has devices in the place of some files, whatever their suffix, and drops a dot or
blank at the end of a name
(https://learn.microsoft.com/windows/win32/fileio/naming-a-file). File systems have names
of at most 255 bytes. The same names are used everywhere, so that output can be moved.
"""

from __future__ import annotations

import hashlib
import re

_DEVICE = r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])"
_RESERVED = re.compile(rf"({_DEVICE})(?=\s*(?:\.|\Z))", re.IGNORECASE)
# In bytes; a suffix and a number fit behind it.
_MAX_BYTES = 220
_DIGEST_LENGTH = 8
_ESCAPED = re.compile(
    rf"(?:\A|/)(?:{_DEVICE}_(?=\s*[./]|\Z)|[^/]*(?:[. ]_(?=/|\Z)|…[0-9a-f]{{8}}))",
    re.IGNORECASE,
)


def portable(name: str) -> str:
    """``name`` if every platform can have it; otherwise with an underscore behind what is
    wrong with it (``con_.rs``), and of a long one the beginning with a digest."""
    name = _RESERVED.sub(r"\1_", name, count=1) if _RESERVED.match(name) else name
    # A name of dots alone is no name, but a way out of the folder: an error elsewhere.
    if name.endswith((".", " ")) and name.strip("."):
        name = f"{name}_"
    data = name.encode(errors="surrogatepass")
    if len(data) <= _MAX_BYTES:
        return name
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]
    return f"{data[:_MAX_BYTES - 20].decode(errors='ignore')}…{digest}"


def is_renamed(path: str) -> bool:
    """Whether a part of a path is another name that ``portable`` gave."""
    return _ESCAPED.search(path) is not None
