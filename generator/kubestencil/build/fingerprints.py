"""Fingerprints: digests of everything that affects what a tree is printed like."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from kubestencil.engine import Target
from kubestencil.source import Source
from kubestencil.targets import installed_view
from kubestencil.version import __version__


def fingerprint(sources: Iterable[Source], target: Target) -> str:
    """The digest of all inputs of a target: the documents, kubestencil's own code,
    templates, options, and the files that options name."""
    return _combined(
        [
            __version__,
            _code(),
            *_view(target),
            *(_folder(str(folder)) for folder in target.folders),
            *(part for name in target.depends_on for part in _dependency(target, name)),
            *(_folder(str(folder)) for folder in _shared_templates(target.roots)),
            *(_folder(path) for path in _option_paths(target)),
            *(
                fact
                for source in sources
                for fact in (source.release, source.origin, source.sha256)
            ),
            repr(sorted(target.options.items())),
        ]
    )


def with_context(base: str, context: Any) -> str:
    """A fingerprint that also covers the context of a part."""
    return _combined([base, repr(context)])


def _combined(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def _code() -> str:
    return _folder(str(Path(__file__).parents[1]), "*.py")


def _view(target: Target) -> Iterator[str]:
    """What decides a view that another package provides."""
    installed = installed_view(target.view)
    if installed is not None:
        yield f"{installed.value} {installed.dist.version if installed.dist else ''}"


def _dependency(target: Target, name: str) -> Iterator[str]:
    dependency = target.dependency(name)
    if dependency is not None:
        yield from (_folder(str(folder)) for folder in dependency.folders)
        yield repr(sorted(dependency.options.items()))


@cache
def _shared_templates(roots: tuple[Path, ...]) -> list[Path]:
    """The template folders that targets share: their names begin with "_"."""
    folders = (path for root in roots for path in root.glob("_*"))
    return sorted(path for path in folders if path.is_dir())


def _option_paths(target: Target) -> list[str]:
    values = (target.options[name] for name in target.path_options)
    return [str(value) for value in values if value]


@cache
def _folder(path: str, pattern: str = "*") -> str:
    """The digest of a file, or of all files of a folder that match ``pattern``."""
    digest = hashlib.sha256()
    top = Path(path)
    for file in sorted(top.rglob(pattern)) if top.is_dir() else [top]:
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(str(file.relative_to(path)).encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
