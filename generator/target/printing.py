"""From a release and a target to files: paths and bytes, nothing written yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import generator
from generator.errors import SpecError, nearest
from generator.model import Release
from generator.resources import resource
from generator.target.manifest import FileRule, Target, find
from generator.target.view import Item, View, load, load_joint
from generator.template import Templates

# A path segment that no file system reads otherwise: no separator, no "..", no
# control character, no name that begins with a dot unless the pattern says so.
_SEGMENT = re.compile(r"(?!\.\.?\Z)[^/\\:\x00-\x1f\x7f]{1,200}\Z")


@dataclass(frozen=True, slots=True)
class File:
    """A printed file: its path below the target's folder, with slashes."""

    path: str
    data: bytes


def print_files(release: Release, target: Target) -> Iterator[File]:
    """Every file of ``target`` for ``release``.

    Raises SpecError where two subjects get the same path, or a name cannot be a
    part of one; TargetError for a mistake in the target.
    """
    common = {
        "release": release.name,
        "origin": release.origin,
        "sha256": release.sha256,
    }
    return _print(load(target)(release, target), target, common)


def print_part(
    name: str, releases: Sequence[Release], facts: Any, target: Target
) -> Iterator[File]:
    """Every file of one part of a target over releases (``view.Part``)."""
    _, make = load_joint(target)
    return _print(make(name, releases, facts, target), target, {"part": name})


def _print(view: View, target: Target, about: Mapping[str, str]) -> Iterator[File]:
    templates = Templates(
        # Through the roots a template finds what targets share: "_markdown/…".
        (*target.folders, *target.roots),
        {
            **about,
            **view.common,
            "options": target.options,
            "target": target.name,
            "version": generator.__version__,
        },
        f"{target.manifest}: files.template",
    )
    taken: dict[str, str] = {}
    for rule in target.files:
        if rule.each in view.elsewhere:
            continue
        finish = _finish(view, rule, target)
        for item in _items(view, rule, target):
            path = _path(target, rule, item, about)
            other = taken.setdefault(path.casefold(), item.subject)
            if other is not item.subject:
                raise SpecError(
                    f"{other} and {item.subject} are both printed to {path}",
                    where=f"target {target.name}",
                )
            if not rule.template:
                yield File(path, item.data)
                continue
            text = templates.render(rule.template, item.subject, item.values)
            yield File(path, (finish(text, item.subject) if finish else text).encode())


def _items(view: View, rule: FileRule, target: Target) -> Iterable[Item]:
    if rule.each not in view.files:
        raise target.error(
            f"{rule.each!r} is nothing that this view prints a file for",
            "files.each",
            nearest(rule.each, view.files),
        )
    return view.files[rule.each]()


def _finish(
    view: View, rule: FileRule, target: Target
) -> Callable[[str, str], str] | None:
    """What is done to a printed text; it also gets the text's subject.

    The built-in templates print code that a formatter leaves as it is.
    """
    if rule.format and not _is_built_in(target, rule.template):
        from generator.target import formatting

        return formatting.formatter(rule.format, rule.path, rule.template)
    finish = view.finish.get(rule.each)
    return (lambda text, _: finish(text)) if finish else None


def _is_built_in(target: Target, template: str) -> bool:
    return find(target.folders, template).is_relative_to(resource("templates"))


def _path(target: Target, rule: FileRule, item: Item, about: Mapping[str, str]) -> str:
    names = {**target.options, **about, **item.names}
    try:
        path = rule.path.format_map(names)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise target.error(
            f"cannot fill in {rule.path}: {error}", "files.path"
        ) from error
    segments = path.split("/")
    # A name is one part of a path, but for the name "path" itself.
    expected = rule.path.count("/") + 1 + item.names.get("path", "").count("/")
    for segment in segments:
        if _SEGMENT.match(segment) is None or len(segments) != expected:
            raise SpecError(
                f"{path!a} cannot be the path of a file: {item.subject}",
                where=f"target {target.name}",
                hint="rename it in the document",
            )
    return path
