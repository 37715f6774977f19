"""The files of tests of Chainsaw and KUTTL that have what objects are compared with: they
look like objects, and are parts of some, with expressions instead of names and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kubestencil import regular_file
from kubestencil.checking.paths import items_at, text_at
from kubestencil.errors import SpecError
from kubestencil.source.limits import max_bytes
from kubestencil.source.yaml import documents

#: Why such a file is not read.
EXPECTATION = "expectations of a test"
_TESTS = ("chainsaw-test.yaml", "chainsaw-test.yml")
_GROUP = "chainsaw.kyverno.io/"
_BLOCKS = ("try", "catch", "finally", "cleanup")
_OPERATIONS = ("assert", "error", "patch")
# https://kuttl.dev/docs/kuttl-test-harness.html: files are told by their names.
_OF_KUTTL = re.compile(r"\d+-(?:assert|errors)(?:-[^.]+)?\.yaml")


def expectations_in(folder: Path, names: Iterable[str]) -> frozenset[str]:
    """Those of the ``names`` of files in a folder that are expectations of a test beside
    them."""
    names = frozenset(names)
    found = set(filter(_OF_KUTTL.fullmatch, names))
    for name in names.intersection(_TESTS):
        found |= set(_listed(folder / name))
    return names & found


def is_expectation(path: Path) -> bool:
    """Whether a file is one."""
    tests = (name for name in _TESTS if (path.parent / name).is_file())
    return path.name in expectations_in(path.parent, (path.name, *tests))


def _listed(path: Path) -> Iterator[str]:
    """The files that a test of Chainsaw names; none of one that cannot be read, which is
    reported where it is checked."""
    try:
        text = regular_file.read(path, max_bytes()).decode("utf-8-sig")
        values = [document.value for document in documents(text, str(path))]
    except (OSError, UnicodeDecodeError, SpecError):
        return
    for value in values:
        if text_at(value, "apiVersion").startswith(_GROUP):
            yield from _of_test(value)


def _of_test(test: Mapping[str, Any]) -> Iterator[str]:
    for _, step in items_at(test, ("spec", "steps")):
        for block in _BLOCKS:
            for _, operation in items_at(step, (block,)):
                for name in _OPERATIONS:
                    yield text_at(operation, name, "file").removeprefix("./")
