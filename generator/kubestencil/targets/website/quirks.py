"""Quirks of the pages on kubernetes.io: what gen-apidocs does to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.source.releases import is_after, minor_version_in

#: The quirks that a manifest may ask for.
QUIRKS: Mapping[str, str] = {
    "continued-weights": "the pages of types go on with the weights of the last group",
    "group-cycle": "three groups are in one of three orders, by chance",
    "hand-written-contents": "some releases have a list of contents: the listed types "
    "have no page, or one without operations",
    "html-descriptions": "descriptions of types have HTML entities in Markdown and YAML",
    "links-by-name": "all types with one name link to the same page",
    "nameless-types": "types of packages without a version have no name",
    "some-asterisks": "asterisks are escaped beside an apostrophe only",
    "underscore-version": "the version is spelled v1_35.0",
    "untitled-operations": "the operation of the listed kinds, and their page, are left "
    "out",
    "unlisted-types": "the listed types are not documented",
}

_ASTERISKS = (("'*'", r"'\*'"), ("/*'", r"/\*'"), ("'*/", r"'\*/"))


class Contents(NamedTuple):
    """What the list of contents of a release changes: ``hidden`` kinds have no page,
    ``pages`` are kinds with a page of their own in their group."""

    hidden: frozenset[str]
    pages: frozenset[str]


def contents(target: Target, release: str) -> Contents:
    """What is listed by hand for a release (``hand-written-contents``), and which kinds
    gen-apidocs takes for listed (``untitled-operations``)."""
    hidden = frozenset(_names(target, "untitled-operations", "kinds"))
    quirk = target.quirks.get("hand-written-contents")
    minor = minor_version_in(release)
    if quirk is None or minor is None:
        return Contents(hidden, frozenset())
    if is_after(minor, str(quirk.get("until", ""))):
        return Contents(hidden, frozenset())
    listed = _names(target, "hand-written-contents", "hidden")
    pages = _names(target, "hand-written-contents", "pages")
    return Contents(hidden.union(listed), frozenset(pages))


def group_order(groups: Iterable[str], target: Target, release: str) -> list[str]:
    """The groups in the order of the categories: alphabetical, but for a
    cycle, and those of custom resources last.

    gen-apidocs compares groups with rules that contradict each other (events before
    core, core before discovery, discovery before events), and sorts a Go map with
    them. So a run puts these three in one of three orders.
    """
    ordered = sorted(groups, key=lambda group: ("." in group, group))
    quirk = target.quirks.get("group-cycle", {})
    cycle: Sequence[str] = [name for name in quirk.get("cycle", ()) if name in ordered]
    if len(cycle) < len(quirk.get("cycle", ())) or not cycle:
        return ordered
    first = str(quirk.get("releases", {}).get(release, quirk.get("first", cycle[0])))
    turn = cycle.index(first) if first in cycle else 0
    start = ordered.index(min(cycle))
    others = [name for name in ordered if name not in cycle]
    return [*others[:start], *cycle[turn:], *cycle[:turn], *others[start:]]


def escape_some_asterisks(text: str) -> str:
    """``text`` with a backslash before asterisks that are beside an apostrophe."""
    for plain, escaped in _ASTERISKS:
        text = text.replace(plain, escaped)
    return text


def unlisted_types(target: Target) -> tuple[str, ...]:
    """The words in the names of types that are not documented."""
    return tuple(_names(target, "unlisted-types", "words"))


def version_text(release: str, target: Target) -> str:
    """The version that the start page names."""
    minor = minor_version_in(release)
    if minor is None:
        return release
    if "underscore-version" in target.quirks:
        minor = minor.replace(".", "_")
    return f"v{minor}.0"


def _names(target: Target, quirk: str, key: str) -> list[str]:
    """The names that a quirk lists; none without the quirk. Raises TargetError for what
    is no list of strings."""
    names = target.quirks.get(quirk, {}).get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise target.error("must be a list of strings", f"quirks.{quirk}.{key}")
    return names
