"""From a release and a target to files: paths and bytes, nothing written yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import generator
from generator.errors import SpecError
from generator.model import Release
from generator.target.manifest import FileRule, Target
from generator.target.template import Templates
from generator.target.view import Item, load

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
    view = load(target)(release, target)
    templates = Templates(target, _common(release, target))
    taken: dict[str, str] = {}
    for rule in target.files:
        finish = view.finish.get(rule.each)
        for item in view.items(rule.each):
            path = _path(target, rule, item, release)
            other = taken.setdefault(path.casefold(), item.subject)
            if other is not item.subject:
                raise SpecError(
                    f"{other} and {item.subject} are both printed to {path}",
                    where=f"target {target.name}",
                )
            text = templates.render(rule.template, item.subject, item.values)
            yield File(path, (finish(text) if finish else text).encode())


def _common(release: Release, target: Target) -> Mapping[str, object]:
    return {
        "release": release.name,
        "origin": release.origin,
        "sha256": release.sha256,
        "options": target.options,
        "target": target.name,
        "version": generator.__version__,
    }


def _path(target: Target, rule: FileRule, item: Item, release: Release) -> str:
    names = {**target.options, **item.names, "release": release.name}
    try:
        path = rule.path.format_map(names)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise target.error(
            f"cannot fill in {rule.path}: {error}", "files.path"
        ) from error
    segments = path.split("/")
    slashes = rule.path.count("/") + sum(
        len(name.parts) - 1
        for name in item.names.values()
        if isinstance(name, PurePosixPath)
    )
    for segment in segments:
        if _SEGMENT.match(segment) is None or len(segments) != slashes + 1:
            raise SpecError(
                f"{path!a} cannot be the path of a file: {item.subject}",
                where=f"target {target.name}",
                hint="rename it in the document",
            )
    return path
