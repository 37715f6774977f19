"""The files of tests of Chainsaw and KUTTL that look like objects, and are parts of some:
what objects are compared with, with expressions instead of names and values, and what is
applied, which may change objects that are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

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
#: What a test does with a file: compares objects with it, or applies it.
Use = Literal["expected", "applied"]
_OPERATIONS: Mapping[str, Use] = {
    **dict.fromkeys(("assert", "error", "patch"), "expected"),
    "apply": "applied",
}
# https://kuttl.dev/docs/kuttl-test-harness.html: files are told by their names.
_OF_KUTTL = re.compile(r"\d+-(?:assert|errors)(?:-[^.]+)?\.yaml")


def uses_in_tests(folder: Path, names: Iterable[str]) -> Mapping[str, Use]:
    """What tests beside them do with those of the ``names`` of files in a folder that they
    use; what objects are compared with is never applied."""
    names = frozenset(names)
    uses: dict[str, Use] = {}
    for test in names.intersection(_TESTS):
        for name, use in _listed(folder / test):
            if uses.get(name) != "expected":
                uses[name] = use
    return {**uses, **dict.fromkeys(filter(_OF_KUTTL.fullmatch, names), "expected")}


def use_in_test(path: Path) -> Use | None:
    """What a test beside a file does with it."""
    tests = (name for name in _TESTS if (path.parent / name).is_file())
    return uses_in_tests(path.parent, (path.name, *tests)).get(path.name)


def _listed(path: Path) -> Iterator[tuple[str, Use]]:
    """The files that a test of Chainsaw uses; none of one that cannot be read, which is
    reported where it is checked."""
    try:
        text = regular_file.read(path, max_bytes()).decode("utf-8-sig")
        values = [document.value for document in documents(text, str(path))]
    except (OSError, UnicodeDecodeError, SpecError):
        return
    for value in values:
        if text_at(value, "apiVersion").startswith(_GROUP):
            yield from _of_test(value)


def _of_test(test: Mapping[str, Any]) -> Iterator[tuple[str, Use]]:
    for _, step in items_at(test, ("spec", "steps")):
        for block in _BLOCKS:
            for _, operation in items_at(step, (block,)):
                for name, use in _OPERATIONS.items():
                    yield text_at(operation, name, "file").removeprefix("./"), use
