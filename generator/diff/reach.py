"""Which kinds a definition is a part of."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.model import Definition, GroupVersionKind, Release, Schema


@dataclass(frozen=True, slots=True)
class Reach:
    """The kinds that lead to a definition, and how many references away they are."""

    kinds: Mapping[str, Mapping[GroupVersionKind, int]]

    def of(self, definition: str) -> Mapping[GroupVersionKind, int]:
        """The kinds of one definition; none for a name that the release lacks."""
        return self.kinds.get(definition, {})


def reach(release: Release) -> Reach:
    """Follow every kind of a release to all that is in it.

    A list of a kind leads where the kind does, and says nothing new: lists count
    only for what nothing else leads to.
    """
    leads = edges(release)
    found: dict[str, dict[GroupVersionKind, int]] = {}
    lists: list[Definition] = []
    for definition in release.definitions.values():
        if definition.kinds:
            if _is_list(definition, release):
                lists.append(definition)
            else:
                _follow(definition, leads, found)
    beyond: dict[str, dict[GroupVersionKind, int]] = {}
    for definition in lists:
        _follow(definition, leads, beyond)
    return Reach({**beyond, **found})


def _follow(
    start: Definition,
    leads: Mapping[str, tuple[str, ...]],
    found: dict[str, dict[GroupVersionKind, int]],
) -> None:
    seen = {start.name: 0}
    pending = deque([start.name])
    while pending:
        name = pending.popleft()
        kinds = found.setdefault(name, {})
        for kind in start.kinds:
            kinds[kind] = min(seen[name], kinds.get(kind, seen[name]))
        for each in leads[name]:
            if each not in seen:
                seen[each] = seen[name] + 1
                pending.append(each)


def edges(release: Release) -> Mapping[str, tuple[str, ...]]:
    """The definitions that each definition refers to, each once."""
    return {
        name: tuple(dict.fromkeys(references(each.schema)))
        for name, each in release.definitions.items()
    }


def references(schema: Schema) -> Iterator[str]:
    """The definitions that a schema refers to, as often as it does."""
    if schema.ref is not None:
        yield schema.ref
    for inner in schema.inner():
        yield from references(inner)


def _is_list(definition: Definition, release: Release) -> bool:
    """PodList: a kind whose ``items`` are another, of the name before "List"."""
    if not definition.kind.endswith("List"):
        return False
    for field in definition.fields:
        inner = field.schema.items
        if field.name == "items" and inner is not None and inner.ref is not None:
            item = release.definitions[inner.ref]
            return f"{item.kind}List" == definition.kind
    return False
