"""The table ``immutable-fields.tsv``, made by trying: ``python -m
specs.make.immutable_fields RELEASE=PATH...``, the oldest release first.

For accepted objects of each kind, a value is replaced with others. Where the API server's
code accepts the new object by itself, and never in the place of the old one, the field
cannot change.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.schema.facts.values import server_facts
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from kubestencil.source import locate
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.ranges import Ranges
from specs.make.tables import write_table
from specs.make.values.harvest import accepted_objects
from specs.make.values.objects import (
    Position,
    general,
    positions,
    replaced,
    value_at,
)

HEADER = """
Fields that cannot change once an object is there, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table; asked were
              {asked}, so that a row that begins at {newest} can hold before, too
  apiVersion  apps/v1
  kind        Deployment
  path        without the indexes of lists; all that is inside of it cannot change either

Metadata is left out: it has the same rules in all kinds. A field may still change in
objects of another form, such as a Job that is suspended.

Made by `python -m specs.make.immutable_fields` (specs/README.md) by asking validators.
"""

# How often a field is changed, and in one object.
_CHANGES = 6
_CHANGES_OF_OBJECT = 2


class Change(NamedTuple):
    """An accepted object, and another one that differs at a path and is accepted, too."""

    kind: GroupVersionKind
    path: str
    old: Any
    new: Any


def changes(
    release: Release,
    validator: Validator,
    objects: Mapping[GroupVersionKind, Sequence[Any]],
) -> Iterator[Change]:
    """The changes of one field each that could be made to objects."""
    names = {kind: name for name, kind in kind_definitions(release).items()}
    for kind, values in objects.items():
        same = validator.ask(Request("update", value, old=value) for value in values)
        kept = [
            value
            for value, answer in zip(values, same, strict=True)
            # An object with generated metadata cannot be applied again.
            if answer.accepted
        ]
        tried = list(possible_changes(release, names[kind], kind, kept))
        yield from accepted_changes(tried, validator)


def possible_changes(
    release: Release, name: str, kind: GroupVersionKind, values: Sequence[Any]
) -> Iterator[Change]:
    """Changes of one field each of objects of a definition, accepted or not."""
    counts: Counter[str] = Counter()
    for old in values:
        maps = set()
        for position in positions(release, name, old):
            path = general(position.path)
            if position.is_item and isinstance(position.path[-1], str):
                maps.add(position.path)
            # The keys of maps are no fields.
            is_named = not any(position.path[: len(key)] == key for key in maps)
            is_asked = is_named and position.path[0] != "metadata"
            if is_asked and counts[path] < _CHANGES:
                made = _changed(release, position, old, values)
                for new in islice(made, _CHANGES_OF_OBJECT):
                    counts[path] += 1
                    yield Change(kind, path, old, new)


def accepted_changes(
    changes: Iterable[Change], validator: Validator
) -> Iterator[Change]:
    """The changes whose new objects a release accepts."""
    tried = list(changes)
    answers = validator.ask(Request("create", change.new) for change in tried)
    for change, answer in zip(tried, answers, strict=True):
        if answer.accepted:
            yield change


def changes_in(release: Release, changes: Iterable[Change]) -> Iterator[Change]:
    """Changes of objects of any release, without the fields that this one lacks."""
    names = {kind: name for name, kind in kind_definitions(release).items()}
    for change in changes:
        if change.kind in names:
            schema = release.definitions[names[change.kind]].schema
            old = _without_unknown(release, schema, change.old)
            new = _without_unknown(release, schema, change.new)
            if old != new:
                yield change._replace(old=old, new=new)


def _without_unknown(release: Release, schema: Schema, value: Any) -> Any:
    while schema.ref is not None:
        schema = release.definitions[schema.ref].schema
    if isinstance(value, Mapping) and schema.fields:
        return {
            field.name: _without_unknown(release, field.schema, value[field.name])
            for field in schema.fields
            if field.name in value
        }
    if isinstance(value, list) and schema.items is not None:
        items = schema.items
        return [_without_unknown(release, items, item) for item in value]
    return value


def immutable_fields(
    changes: Sequence[Change], validator: Validator
) -> set[tuple[GroupVersionKind, str]]:
    """The kinds and paths of what a server never lets change."""
    mutable: set[tuple[GroupVersionKind, str]] = set()
    refused: dict[tuple[GroupVersionKind, str], str] = {}
    answers = validator.ask(
        Request("update", change.new, old=change.old) for change in changes
    )
    for (kind, path, _, _), answer in zip(changes, answers, strict=True):
        if answer.accepted:
            mutable.update((kind, outer) for outer in _with_outer(path))
        elif answer.code == 422 and answer.causes and not answer.old_refused:
            refused.setdefault((kind, path), _general(answer.causes[0].field))
    found = set(_outermost(refused, mutable))
    return {
        (kind, path)
        for kind, path in found
        if not any((kind, outer) in found for outer in _with_outer(path)[:-1])
    }


def _outermost(
    refused: Mapping[tuple[GroupVersionKind, str], str],
    mutable: Set[tuple[GroupVersionKind, str]],
) -> Iterator[tuple[GroupVersionKind, str]]:
    """What cannot change, without what is inside of it: the server reports the change
    of a field as one of the outermost field that cannot change."""
    for (kind, path), field in refused.items():
        if (kind, path) not in mutable:
            is_outer = field in _with_outer(path) and (kind, field) not in mutable
            yield kind, field if is_outer else path


def _with_outer(path: str) -> list[str]:
    """A path, and those of the fields that it is inside of."""
    parts = path.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def _changed(
    release: Release, position: Position, old: Any, others: Sequence[Any]
) -> Iterator[Any]:
    """Objects with another value at a position: without one, a default could be equal."""
    value = value_at(old, position.path)
    seen = [value]
    for new in _values(release, position, value, others):
        if new not in seen:
            seen.append(new)
            yield replaced(old, position.path, new)


def _values(
    release: Release, position: Position, value: Any, others: Sequence[Any]
) -> Iterator[Any]:
    for other in others:
        try:
            yield value_at(other, position.path)
        except (LookupError, TypeError):
            continue
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value * 2)
    elif isinstance(value, str):
        yield from server_facts(release.name).of(
            position.definition, position.field
        ).enum
        yield from (f"{value}x", f"x{value}", f"{value}2", f"2{value}", "a", "a.b/c")
    elif isinstance(value, list):
        yield value[:-1]
    elif position.schema.values is not None:
        yield {**value, "a": "1"}


def _general(field: str) -> str:
    """A path of a server without indexes and keys."""
    text = ""
    for part in field.split("["):
        text += part.rpartition("]")[2] if "]" in part else part
    return text


def main(arguments: Sequence[str]) -> None:
    """Make the table."""
    parser = argparse.ArgumentParser(
        prog="python -m specs.make.immutable_fields", description=__doc__
    )
    parser.add_argument(
        "programs",
        nargs="+",
        metavar="RELEASE=PATH",
        help="what `kubestencil validator path RELEASE` prints",
    )
    programs = [
        text.partition("=")[::2] for text in parser.parse_args(arguments).programs
    ]
    try:
        # Each release is asked about the objects of all, so that the answers of two
        # releases differ because of the releases.
        found = [change for name, path in programs for change in _made(name, path)]
        ranges: Ranges[tuple[GroupVersionKind, str], bool] = Ranges()
        for name, path in programs:
            with Validator(Path(path)) as validator:
                made = changes_in(parse(locate(name, None)), found)
                tried = list(accepted_changes(made, validator))
                _report(f"{name}: {len(tried)} changes")
                fields = immutable_fields(tried, validator)
            ranges.advance(name, dict.fromkeys(fields, True))
    except KubestencilError as error:
        sys.exit(str(error))
    rows = (
        (str(releases), kind.api_version, kind.kind, path)
        for (kind, path), releases, _ in ranges.rows(lambda key: key)
    )
    names = [name for name, _ in programs]
    header = HEADER.format(asked=" and ".join(names), newest=names[-1])
    write_table("immutable-fields", header, rows)


def _made(name: str, path: str) -> list[Change]:
    """The changes of the objects of one release."""
    release = parse(locate(name, None))
    with Validator(Path(path)) as validator:
        objects = accepted_objects(release, validator, (), _report)
        return list(changes(release, validator, objects))


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
