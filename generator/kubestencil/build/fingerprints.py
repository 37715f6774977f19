"""Fingerprints: digests of all inputs that the files of a tree depend on."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from shutil import which

from kubestencil.data_files import data_file
from kubestencil.engine import Target
from kubestencil.engine.filters import FILTER_FILE
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.source import Source
from kubestencil.targets import installed_view
from kubestencil.version import __version__

_CODE = Path(__file__).parents[1]


def fingerprint(sources: Iterable[Source], target: Target) -> str:
    """The digest of all inputs of a target: the documents, kubestencil's code and its
    tables of facts, templates, options, and the files that options name."""
    return _combined(
        [
            __version__,
            _digest(_CODE),
            _digest(data_file("specs"), "**/*.tsv"),
            *_installed_view(target),
            *_formatters(target),
            *map(_digest, target.folders),
            *_dependencies(target),
            *map(_digest, _shared_templates(target.roots)),
            *(
                _digest(Path(str(target.options[name])))
                for name in target.path_options
                if target.options[name]
            ),
            *_source_identities(sources),
            repr(sorted(target.options.items())),
        ]
    )


def inputs(sources: Iterable[Source], target: Target) -> Mapping[str, str]:
    """What a tree is made of, as ``Fingerprints.inputs`` has it."""
    options = {name: target.options[name] for name in sorted(target.changed_options)}
    documents = {source.release: input_text(source) for source in sources}
    return {"": repr(options) if options else "", **documents}


def input_text(source: Source) -> str:
    """The digest of a document, and what limits or extends it."""
    crds = source.crds and (*source.crds.locations, source.crds.unserved)
    return f"{source.sha256} {crds or ''}{source.selection or ''}"


def with_context(fingerprint: str, context: object) -> str:
    """A fingerprint that also covers the context of a part."""
    return _combined([fingerprint, repr(context)])


def _dependencies(target: Target) -> Iterator[str]:
    for name in target.depends_on:
        dependency = target.dependency(name)
        if dependency is not None:
            yield from map(_digest, dependency.folders)
            yield repr(sorted(dependency.options.items()))


def _formatters(target: Target) -> Iterator[str]:
    """The commands that format files, and the digests of their programs."""
    for rule in target.files:
        if isinstance(rule.format, tuple):
            yield repr(rule.format)
            program = which(rule.format[0])
            if program is not None:
                yield _digest(Path(program))


@cached_for_run
def _digest(path: Path, pattern: str = "*") -> str:
    """The digest of a file, or of all files of a folder that match ``pattern``."""
    digest = hashlib.sha256()
    for name in sorted(_file_names(path, pattern)) if path.is_dir() else [""]:
        file = path / name
        if file.is_file():
            content = file.read_bytes()
            head = f"{name}\0{len(content)}\0"
            digest.update(head.encode(errors="surrogateescape"))
            digest.update(content)
    return digest.hexdigest()


def _file_names(folder: Path, pattern: str) -> Iterator[str]:
    """The paths in ``folder`` of the files in it, at any depth, that match a pattern."""
    for path, folders, names in os.walk(folder):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        inner = os.path.relpath(path, folder)
        yield from (f"{inner}/{name}" for name in fnmatch.filter(names, pattern))


def _combined(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


def _source_identities(sources: Iterable[Source]) -> Iterator[str]:
    for source in sources:
        yield from (source.release, source.origin, source.sha256)
        yield repr(source.selection)


def _installed_view(target: Target) -> Iterator[str]:
    """The package, with its version, that provides the target's view, if one does."""
    view = installed_view(target.view)
    if view is not None:
        yield f"{view.value} {view.dist.version if view.dist else ''}"


def _shared_templates(roots: Iterable[Path]) -> list[Path]:
    """What targets share: template folders, whose names begin with "_", and filters."""
    folders = (path for root in roots for path in root.glob("_*") if path.is_dir())
    filters = (path for root in roots for path in root.glob(FILTER_FILE))
    return sorted([*folders, *filters])
