"""Shows the CustomResourceDefinitions that ``render --keep-going`` leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubestencil.build.refused import Refused
from kubestencil.cli import console
from kubestencil.source import Source
from kubestencil.source.releases import newest_release
from kubestencil.text.controls import one_line
from kubestencil.validator.binaries import find_binary
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request

# Causes of a server that are shown of one object.
_MAX_CAUSES = 5


def show_refused(refused: Mapping[str, Refused], sources: Sequence[Source]) -> None:
    """Show on standard error what was refused, each with what an API server says of it,
    where the program of a release, or else of the newest, is built."""
    releases = [*(source.release for source in reversed(sources)), newest_release()]
    programs = ((release, find_binary(release)) for release in releases)
    release, program = next(
        (found for found in programs if found[1]), (releases[-1], None)
    )
    answers: dict[str, Answer] = {}
    if program is not None:
        values = {
            where: item.value
            for where, item in refused.items()
            if item.value is not None
        }
        requests = (Request("create", value) for value in values.values())
        with Validator(program) as validator:
            answers = dict(zip(values, validator.ask(requests), strict=True))
    for where, item in sorted(refused.items()):
        lines = list(map(str, item.errors))
        answer = answers.get(where)
        if answer is not None and answer.is_verdict and not answer.accepted:
            causes = [f"{cause.field}: {cause.message}" for cause in answer.causes]
            if len(causes) > _MAX_CAUSES:
                causes[_MAX_CAUSES:] = [f"and {len(causes) - _MAX_CAUSES} more"]
            for line in causes or [answer.message]:
                lines.append(f"API server {release}: {one_line(line)}")
        console.warn("\n  ".join(["refused: " + lines[0], *lines[1:]]))
    hint = (
        ""
        if program
        else f"; what a server says: kubestencil validator build {release}"
    )
    console.status(f"{len(refused)} refused{hint}")
