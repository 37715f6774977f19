"""Scripts that pass data to a page: one that is opened from a disk can load no other
files.

JSON is a subset of JavaScript (ECMA-262, 2019), and a script is a separate file, so that
its text cannot end a tag.
"""

from __future__ import annotations

import json
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encode_json(data: Any) -> bytes:
    """Data as the shortest JSON, in UTF-8."""
    return _ENCODER.encode(data).encode()


def data_script(function: str, data: Any) -> bytes:
    """A script that calls a function of the page with the data."""
    return b"%b(%b)\n" % (function.encode(), encode_json(data))
