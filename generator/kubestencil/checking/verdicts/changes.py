"""Changes of objects that are there: those that the API server refuses, and those about
which the state of the object in its cluster decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from kubestencil.checking.edits import EditError, Put, applied
from kubestencil.checking.files.placeholders import reason_unknown
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Path, field_path, keys_of, value_at
from kubestencil.checking.values.scalars import quantity_value
from kubestencil.checking.verdicts import denials, message_of
from kubestencil.checking.verdicts.internal_paths import as_written, located
from kubestencil.schema.knowledge.places import conditional_changes_of
from kubestencil.schema.types import group_version_kind
from kubestencil.validator.protocol import Answer, Cause

# It never asks to delete an object: with a claim, a volume, a StatefulSet or a definition
# its data would go, with a Service its address.
_HINT = "keep the old value, or create the object under another name"

# The names of fields in a sentence.
_QUOTED = re.compile(r"[`']([\w.\[\]*]+)[`']")
_MAX_CHANGED = 3

#: What cannot be changed, and nobody can say without the cluster.
UNKNOWN_CHANGES = "changes that the API server's own code cannot make"


def conditional_changes(
    value: Mapping[str, Any], old: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[Problem]]:
    """The old object as if the changes were made already about which its state in a
    cluster decides, and a problem for each of these."""
    kind = group_version_kind(value["apiVersion"], value["kind"])
    problems: list[Problem] = []
    for row in conditional_changes_of(kind.group, kind.kind):
        path = tuple(row.path.split("."))
        new, before = value_at(value, path), value_at(old, path)
        if new is None or not _is_meant(row.change, before, new) or reason_unknown(new):
            continue
        try:
            old = applied(old, (Put(path, new),))
        except EditError:
            continue
        message = (
            f"{row.path}: the API server accepts the change only if {row.condition}"
        )
        problems.append(Problem("depends-on-cluster", path, message))
    return old, problems


def _is_meant(change: str, old: Any, new: Any) -> bool:
    """Whether a row of the table is about a change of an old value to a new one."""
    if change == "first":
        # A Service that has an address keeps it, and cannot become one without.
        return old is None and new not in ("None", ["None"])
    if change == "more":
        before, after = quantity_value(old), quantity_value(new)
        return before is not None and after is not None and before < after
    return bool(old != new) and change in ("other", f"={new}")


def add_refused_changes(
    results: Results,
    created: Answer,
    updated: Answer,
    value: Mapping[str, Any],
    old: Mapping[str, Any],
) -> None:
    """Add what a server refuses to change, where ``created`` is what it says of the new
    object alone, and ``updated`` of applying it over the old one."""
    if updated.old_refused:
        results.unchecked.append("changes of objects that were refused before")
    elif updated.has_failed or (created.accepted and updated.code == 400):
        results.unchecked.append(UNKNOWN_CHANGES)
    new_denials = [text for text in updated.policies if text not in created.policies]
    results.values.extend(denials(new_denials, value))
    refused = {as_written(cause, value) for cause in created.causes}
    for written in sorted({as_written(cause, value) for cause in updated.causes}):
        if updated.old_refused or updated.policies or written in refused:
            continue
        path, _ = located(written.field, value)
        if not _changes_to_placeholder(value_at(value, path), value_at(old, path)):
            results.values.append(_refused(written, path, value, old))


def _refused(
    cause: Cause, path: Path, value: Mapping[str, Any], old: Mapping[str, Any]
) -> Problem:
    """The problem of a change, at the first of the fields that were changed and must not
    be; those that may are quoted in what the server says of a whole."""
    text = cause.message.partition("\n")[0]
    message = message_of(cause._replace(message=text))
    mutable = {name.replace("[*]", "") for name in _QUOTED.findall(text)}
    changed = [
        place
        for place in _changed(value_at(value, path), value_at(old, path), path)
        if mutable.isdisjoint((keys_of(place), keys_of(place[len(path) :][:1])))
    ]
    places = [field_path(place) for place in changed[:_MAX_CHANGED]]
    if len(changed) > _MAX_CHANGED:
        places.append(f"and {len(changed) - _MAX_CHANGED} more")
    if changed and changed != [path]:
        message = f"{message}; changed: {', '.join(places)}"
    at = next((place for place in changed if value_at(value, place) is not None), path)
    return Problem("immutable-field", at, message, _HINT)


def _changed(value: Any, old: Any, path: Path) -> Iterator[Path]:
    """The paths of what differs; a list of another length differs as a whole."""
    if isinstance(value, dict) and isinstance(old, dict):
        for key in dict.fromkeys([*value, *old]):
            yield from _changed(value.get(key), old.get(key), (*path, key))
    elif isinstance(value, list) and isinstance(old, list) and len(value) == len(old):
        for index, (item, former) in enumerate(zip(value, old, strict=True)):
            yield from _changed(item, former, (*path, index))
    elif value != old:
        yield path


def _changes_to_placeholder(value: Any, old: Any) -> bool:
    """Whether a placeholder stands for what may be the old value."""
    pending = [(value, old)]
    while pending:
        value, old = pending.pop()
        if isinstance(value, dict):
            others = old if isinstance(old, dict) else {}
            pending += [(item, others.get(key)) for key, item in value.items()]
        elif isinstance(value, list):
            pending += zip_longest(value, old if isinstance(old, list) else ())
        elif value != old and reason_unknown(value):
            return True
    return False
