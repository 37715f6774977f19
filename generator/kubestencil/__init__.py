"""kubestencil generates files from Kubernetes OpenAPI documents and compares them.

The public Python API::

    from kubestencil import compare, history, load, render

    old, new = load("1.29"), load("1.35")
    for change in compare(old, new).changes:
        if change.severity == "breaking":
            print(change.definition, change.field, change.rule.reason)

    render(["1.35"], targets=["python"], out="generated")

Errors are in ``kubestencil.errors``; all are subclasses of ``KubestencilError``.
What is neither there nor listed in ``__all__`` is private and may change in any
release, except for what views of other packages use (docs/writing-a-target.md).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestencil.version import __version__

# Functions import what they need when they are called, and types are imported on first
# access, so that "import kubestencil" and "kubestencil --help" stay fast.
if TYPE_CHECKING:
    from kubestencil.build import Summary
    from kubestencil.diff import Change, Comparison, History
    from kubestencil.schema import Release
    from kubestencil.source import Source
else:
    _MODULES = {
        "Change": "kubestencil.diff",
        "Comparison": "kubestencil.diff",
        "History": "kubestencil.diff",
        "Release": "kubestencil.schema",
        "Summary": "kubestencil.build",
    }

    def __getattr__(name: str) -> Any:
        """Import a public type when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


__all__ = [
    "Change",
    "Comparison",
    "History",
    "Release",
    "Summary",
    "__version__",
    "compare",
    "history",
    "load",
    "render",
]

_PathLike = str | os.PathLike[str]
_RELEASE = re.compile(r"v?\d+\.\d+\Z")


def load(
    document: _PathLike, *, specs: _PathLike | None = None, name: str | None = None
) -> Release:
    """The release that a document describes, parsed and validated.

    ``document`` is a release ("1.35"), the path of an OpenAPI document or its https
    address, or a file or folder of CustomResourceDefinitions. ``specs`` is a folder of
    documents that is searched before ``./specs`` and the embedded documents. ``name``
    is what the release is called; by default its own name, or that of the file.

    Raises UsageError for a release that no source has, SourceError for a document
    that cannot be read, SpecError for one that is not valid
    (``kubestencil.errors``).
    """
    from kubestencil.schema.load import load_release

    return load_release(_source(document, specs, name))


def compare(
    before: Release,
    after: Release,
    *,
    api_versions: tuple[str, str] | None = None,
) -> Comparison:
    """What changed from ``before`` to ``after``, each change with its severity.

    ``api_versions`` compares two API versions instead of whole releases:
    ``("resource.k8s.io/v1beta1", "resource.k8s.io/v1")``. Raises UsageError for one
    that its release does not have.
    """
    from kubestencil import diff

    if api_versions is None:
        return diff.compare(before, after)
    return diff.compare_versions(before, api_versions[0], after, api_versions[1])


def history(releases: Sequence[Release], kind: str) -> tuple[History, ...]:
    """How a type evolved through ``releases``, oldest first, and API versions.

    ``kind`` is a kind or another type ("ResourceClaimStatus"), with its group where
    several groups have it ("events.k8s.io/Event"); there is one history per group.
    Raises UsageError for a type that no release has.
    """
    from kubestencil import diff

    return diff.history(releases, kind)


def render(
    documents: Iterable[_PathLike],
    *,
    targets: Iterable[str] = (),
    out: _PathLike = "generated",
    specs: _PathLike | None = None,
    templates: _PathLike | None = None,
    options: Mapping[str, str] | None = None,
    jobs: int = 1,
    overwrite: bool = False,
) -> Summary:
    """Generate files for ``targets`` (all without any) of ``documents`` into ``out``.

    ``documents`` are as for ``load``. ``templates`` is a folder of your own targets,
    ``options`` maps "TARGET.OPTION" to a value, ``jobs`` is the number of processes.
    Files that kubestencil did not write are replaced only with ``overwrite``.

    Raises KubestencilError (``kubestencil.errors``), in which case ``out`` is
    unchanged.
    """
    from kubestencil import build
    from kubestencil.engine import (
        check_release_names,
        choose_targets,
        load_targets,
    )
    from kubestencil.errors import UsageError

    for parameter, value in (("documents", documents), ("targets", targets)):
        if isinstance(value, str):
            raise UsageError(
                "must be a list, not a string",
                where=f"render: {parameter}",
                hint=f"write [{value!r}]",
            )
    all_targets = load_targets(None if templates is None else Path(templates))
    sources = [_source(document, specs, None) for document in documents]
    check_release_names((source.release for source in sources), all_targets)
    return build.render(
        sources,
        choose_targets(all_targets, list(targets), options or {}, len(sources)),
        Path(out),
        jobs=jobs,
        overwrite=overwrite,
    )


def _source(document: _PathLike, specs: _PathLike | None, name: str | None) -> Source:
    from dataclasses import replace

    from kubestencil.source import available, locate
    from kubestencil.source.inputs import read_location
    from kubestencil.source.releases import release_name

    folder = None if specs is None else Path(specs)
    text = os.fspath(document)
    release = text.removeprefix("v")
    label = None if name is None else release_name(name)
    # A release that no source has is reported as such, not as a missing file.
    if release in available(folder) or (
        _RELEASE.match(text) and not Path(text).exists()
    ):
        source = locate(release, folder)
        return source if label is None else replace(source, release=label)
    return read_location(text, label)
