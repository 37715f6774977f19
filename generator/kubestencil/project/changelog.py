"""What newer versions of kubestencil generate in another way, from its changelog.

An entry that begins with names of targets (``- `python`, `rust`: …``) is about what they
generate. A wheel has these lines alone (``hatch_build.py``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kubestencil.data_files import data_file
from kubestencil.engine import Target

_VERSION = re.compile(r"(?:## )?(\d{1,9}(?:\.\d{1,9}){1,3})\b")
_ENTRY = re.compile(r"- ((?:`[\w-]+`(?:, | and )?)+): ")
_NAME = re.compile(r"`([\w-]+)`")


def output_changes(
    before: str, after: str, targets: Collection[Target]
) -> Iterator[str]:
    """The entries about ``targets``, or what they extend, of the versions after ``before``
    up to ``after``, as Markdown; none where ``before`` is no version or not older."""
    first, last = _version(before), _version(after)
    names = {name for target in targets for name in (target.name, target.extends)}
    is_newer = False
    for line in data_file("CHANGELOG.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            is_newer = bool(first) and first < _version(line) <= last
            continue
        entry = _ENTRY.match(line)
        if is_newer and entry and not names.isdisjoint(_NAME.findall(entry[1])):
            yield line.removeprefix("- ")


def _version(text: str) -> tuple[int, ...]:
    """The numbers of a version, or of that in a heading; none where there is none."""
    match = _VERSION.match(text)
    return tuple(map(int, match[1].split("."))) if match else ()
