"""No answer of the package contradicts the code of API servers, or another answer: a sample
of ``python -m tests.contradictions``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from kubestencil.validator.binaries import find_binary
from tests.conftest import load
from tests.contradictions import by_kind, contradictions
from tests.contradictions.objects import Case, read_objects
from tests.manifests import manifests
from tests.public_manifests import FOLDER

_SEED = 49


def _programs(names: Sequence[str]) -> list[Path]:
    """The validators of releases; none where one is not built, since what the answers have
    in common can be seen without them."""
    folder = os.environ.get("KUBESTENCIL_BUILT_VALIDATORS")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBESTENCIL_VALIDATORS", folder or os.devnull)
        programs = [find_binary(name) for name in names]
    found = [program for program in programs if program is not None]
    return found if len(found) == len(names) else []


def _contradictions(names: tuple[str, str], cases: Sequence[Case], count: int) -> str:
    before, after = names
    releases = load(before), load(after)
    found = contradictions(releases, _programs(names), cases, count, _SEED)
    return "\n".join(
        f"{len(items)} {kind}: {items[0].where} {items[0].detail}"
        for (group, kind), items in by_kind(found).items()
        if group != "gap"
    )


def _own() -> list[Case]:
    return [Case(f"manifest {index}", value) for index, value in enumerate(manifests())]


@pytest.mark.parametrize("names", [("1.29", "1.35"), ("1.36", "1.37")])
def test_no_answer_contradicts_another_one(names: tuple[str, str]) -> None:
    assert not _contradictions(names, _own(), 300)


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.skipif(FOLDER is None, reason="no KUBESTENCIL_MANIFESTS")
@pytest.mark.parametrize(
    "names", [("1.29", "1.35"), ("1.35", "1.36"), ("1.36", "1.37")]
)
def test_no_answer_about_public_objects_contradicts_another_one(
    names: tuple[str, str],
) -> None:
    assert not _contradictions(names, read_objects(FOLDER or ""), 10_000)
