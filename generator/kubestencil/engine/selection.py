"""Selects the targets of a run, and applies the options that the user set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kubestencil.engine.manifest import Target
from kubestencil.errors import UsageError, nearest


def choose_targets(
    available: Mapping[str, Target],
    names: Sequence[str],
    options: Mapping[str, str],
    release_count: int,
) -> list[Target]:
    """The targets ``names``, or all that ``release_count`` releases are enough for, some
    of them for the newest release only.

    ``options`` maps "TARGET.OPTION" to a value. Raises UsageError for a target or
    option that does not exist, and for a named target that needs more releases.
    """
    for name in names:
        named = find_target(name, available)
        if named.scope == "manifests":
            raise UsageError(
                f"the target {name} is printed by kubestencil check",
                hint="kubestencil check PATH --to RELEASE --format NAME",
            )
        least = named.min_releases
        if least > release_count:
            raise UsageError(
                f"the target {name} needs {least} or more releases",
                hint="name a range, such as 1.34..1.35",
            )
    changes: dict[str, dict[str, str]] = {}
    for path, value in options.items():
        target, dot, option = path.partition(".")
        if not dot:
            raise UsageError(
                "must be TARGET.OPTION=VALUE",
                where=f"--set {path}={value}",
                hint="kubestencil targets lists the targets and their options",
            )
        if target not in available:
            raise UsageError(
                f"unknown target {target!r}",
                where=f"--set {path}={value}",
                hint=nearest(target, available),
            )
        changes.setdefault(target, {})[option] = value
    chosen = [
        replace(available[name], newest_only=False) for name in dict.fromkeys(names)
    ] or [available[name] for name in possible_targets(available, release_count)]
    return [
        replace(
            target.with_options(changes.get(target.name, {})),
            dependency_options=changes,
        )
        for target in chosen
    ]


def check_options(options: Iterable[str], targets: Iterable[Target]) -> None:
    """Raise UsageError for one of ``options`` ("TARGET.OPTION") that changes nothing: it is
    one of a target that is neither generated nor used by one that is."""
    generated = {target.name: target for target in targets}
    used = {name for target in generated.values() for name in target.depends_on}
    for path in options:
        name = path.partition(".")[0]
        if name not in generated.keys() | used:
            raise UsageError(
                f"the target {name} is not generated",
                where=f"--set {path}",
                hint=f"generated are {', '.join(sorted(generated))}",
            )


def possible_targets(
    available: Mapping[str, Target], release_count: int
) -> tuple[str, ...]:
    """The names of the targets that ``release_count`` releases are enough for."""
    return tuple(
        name
        for name, target in available.items()
        if release_count >= target.min_releases and target.scope != "manifests"
    )


def find_target(name: str, available: Mapping[str, Target]) -> Target:
    """The target ``name``. Raises UsageError where there is none."""
    if name not in available:
        raise UsageError(f"unknown target {name!r}", hint=nearest(name, available))
    return available[name]


def check_release_names(names: Iterable[str], targets: Mapping[str, Target]) -> None:
    """Raise UsageError for a release whose output folder would be that of a target
    of scope ``releases``."""
    for name in names:
        if name in targets and targets[name].scope == "releases":
            raise UsageError(
                f"{name!r} is the name of a target and cannot be that of a release",
                hint="give it another name: kubestencil render NAME --spec FILE",
            )
