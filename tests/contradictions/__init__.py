"""Where answers of kubestencil contradict API servers, or each other.

``objects`` reads objects and makes seeded mutations of them, ``verdicts`` compares what
``check`` says of them with the code of API servers, and ``facts`` what ``check``, ``diff``,
``history``, pages and hover say of kinds and fields. ``model`` has what they find.
``python -m tests.contradictions FROM TO FOLDER`` prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kubestencil.schema.types import Release
from tests.contradictions import facts, verdicts
from tests.contradictions.model import Contradiction, Group
from tests.contradictions.objects import Case, Mutator, example_objects


def contradictions(
    releases: tuple[Release, Release],
    programs: Sequence[Path],
    objects: Sequence[Case],
    mutants: int,
    seed: int,
) -> Iterator[Contradiction]:
    """All contradictions about objects, examples of all kinds, and some mutations of both.
    ``programs`` are the validators of both releases; without them, answers are compared
    with each other only."""
    cases = [*objects, *example_objects(releases)]
    yield from facts.of_changes(releases)
    yield from facts.of_fields(releases, cases)
    cases += Mutator(releases, cases).mutants(mutants, seed)
    for_objects = facts.ForObjects(releases, cases)
    for index, judged in enumerate(verdicts.judge(releases, programs, cases)):
        yield from verdicts.of_verdicts(judged)
        yield from for_objects.contradictions(index, judged)


def by_kind(
    found: Iterable[Contradiction],
) -> Mapping[tuple[Group, str], list[Contradiction]]:
    """Contradictions by group and kind, in the order of their names."""
    kinds: dict[tuple[Group, str], list[Contradiction]] = {}
    for item in found:
        kinds.setdefault((item.group, item.kind), []).append(item)
    return dict(sorted(kinds.items()))
