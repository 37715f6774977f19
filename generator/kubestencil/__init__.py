"""kubestencil generates files from OpenAPI specs of Kubernetes and compares them.

The public Python API::

    from kubestencil import check, compare, field_paths, find, history, load, render

    old, new = load("1.34"), load("1.35")
    for change in compare(old, new).changes:
        if change.severity == "breaking":
            print(change.definition, change.field, change.rule.reason)

    for finding in check(["manifests"], to=new, from_=old).findings:
        print(finding.file, finding.line, finding.severity, finding.message)

    render(["1.35"], targets=["python"], out="generated")

Errors are in ``kubestencil.errors``; all are subclasses of ``KubestencilError``.
What is neither there nor listed in ``__all__`` is private and may change in any
release, except for what views of other packages use (docs/target-reference.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestencil.version import __version__

# Functions import what they need when they are called, and types are imported on first
# access, so that "import kubestencil" and "kubestencil --help" stay fast.
if TYPE_CHECKING:
    from kubestencil.build import Summary
    from kubestencil.checking.findings import Finding, Report
    from kubestencil.diff import Change, Comparison, History
    from kubestencil.schema import Release
    from kubestencil.schema.field_paths import FieldPath
    from kubestencil.schema.knowledge.values import FieldFacts
    from kubestencil.schema.lookup import TypeMatch
    from kubestencil.source import Source
    from kubestencil.source.find import DocumentOptions
    from kubestencil.validator.protocol import Answer, Cause
    from kubestencil.validator.release import ReleaseValidator
else:
    _MODULES = {
        "Answer": "kubestencil.validator.protocol",
        "Cause": "kubestencil.validator.protocol",
        "Change": "kubestencil.diff",
        "Comparison": "kubestencil.diff",
        "FieldFacts": "kubestencil.schema.knowledge.values",
        "FieldPath": "kubestencil.schema.field_paths",
        "Finding": "kubestencil.checking.findings",
        "History": "kubestencil.diff",
        "Release": "kubestencil.schema",
        "ReleaseValidator": "kubestencil.validator.release",
        "Report": "kubestencil.checking.findings",
        "Summary": "kubestencil.build",
        "TypeMatch": "kubestencil.schema.lookup",
    }

    def __getattr__(name: str) -> Any:
        """Import a public type when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


__all__ = [
    "Answer",
    "Cause",
    "Change",
    "Comparison",
    "FieldFacts",
    "FieldPath",
    "Finding",
    "History",
    "Release",
    "ReleaseValidator",
    "Report",
    "Summary",
    "TypeMatch",
    "__version__",
    "check",
    "compare",
    "field_facts",
    "field_paths",
    "find",
    "history",
    "load",
    "render",
    "validate",
]

_PathLike = str | os.PathLike[str]


def load(
    document: _PathLike,
    *,
    specs: _PathLike | None = None,
    name: str | None = None,
    crds: Iterable[_PathLike] = (),
    unserved: bool = False,
    groups: Iterable[str] = (),
    kinds: Iterable[str] = (),
) -> Release:
    """The release that a document describes, parsed and validated.

    ``document`` is a release ("1.35"), the path of an OpenAPI spec or its https
    address, or a file or folder of CustomResourceDefinitions. ``specs`` is a folder of
    documents that is searched before ``./specs`` and the embedded documents. ``name``
    is what the release is called; by default its own name, or that of the file.
    ``crds`` are files or folders with CustomResourceDefinitions to add; with
    ``unserved``, their versions that are not served are read as well. ``groups`` and
    ``kinds`` limit the release to these and what they refer to.

    Raises UsageError for a release that no source has and for an unknown group or
    kind, SourceError for a document that cannot be read, SpecError for one that is not
    valid (``kubestencil.errors``).
    """
    from kubestencil.schema.load import load_release
    from kubestencil.source.releases import release_name

    options = _options(specs, crds, unserved, groups, kinds)
    label = None if name is None else release_name(name)
    return load_release(*_sources([document], options, label))


def compare(
    before: Release | _PathLike,
    after: Release | _PathLike,
    *,
    api_versions: tuple[str, str] | None = None,
    groups: Iterable[str] = (),
    kinds: Iterable[str] = (),
) -> Comparison:
    """What changed from ``before`` to ``after``, each change with its severity.

    These are releases, or what ``load`` takes ("1.35").
    ``api_versions`` compares two API versions instead of whole releases:
    ``("resource.k8s.io/v1beta1", "resource.k8s.io/v1")``. ``groups`` and ``kinds``
    limit the result to their changes. Raises UsageError for an API version that its
    release does not have, and for a group or kind that neither has.
    """
    from kubestencil import diff
    from kubestencil.diff.documents import comparable
    from kubestencil.diff.selection import of_types
    from kubestencil.schema.lookup import find_kinds

    before, after = _parsed(before), _parsed(after)
    groups = tuple(groups)
    types = find_kinds(kinds, groups, comparable((before, after)))
    if api_versions is None:
        comparison = diff.compare(before, after)
    else:
        comparison = diff.compare_versions(
            before, api_versions[0], after, api_versions[1]
        )
    if types:
        comparison = of_types(comparison, types)
    return comparison.filter(group=groups) if groups else comparison


def check(
    paths: Iterable[_PathLike],
    *,
    to: Release | _PathLike,
    from_: Release | _PathLike | None = None,
    specs: _PathLike | None = None,
    crds: Iterable[_PathLike] = (),
    unserved: bool = False,
) -> Report:
    """What is wrong with the manifests at ``paths`` in the release ``to``.

    ``paths`` are files, folders, and "-" for standard input. ``to`` and ``from_`` are
    releases, or what ``load`` takes; with ``from_``, each finding says whether it is
    new in ``to``; tables decide in both, so that what they do not have any more is
    ``not-found``, and not ``fixed``. ``specs``, ``crds`` and ``unserved`` are as for
    ``load``, and of no effect on what is a release already.

    Raises UsageError for a path that does not exist and where there is no file to
    check, SourceError for a file that cannot be read, and as ``load``.
    """
    from kubestencil.checking.run import check as check_paths

    _refuse_strings("check", paths=paths, crds=crds)
    options = _options(specs, crds, unserved)
    after = _as_release(to, options)
    before = None if from_ is None else _as_release(from_, options)
    return check_paths([os.fspath(path) for path in paths], after, before)


def validate(
    objects: Iterable[Mapping[str, Any]],
    release: str,
    *,
    definitions: Iterable[Mapping[str, Any]] = (),
) -> tuple[Answer, ...]:
    """What the API server of a release answers when the objects are created.

    ``objects`` are mappings as ``json.load`` returns them, ``release`` is "1.35", or
    "1.35.2", ``definitions`` the CustomResourceDefinitions of custom resources. The
    server's own code decides (``kubestencil validator build``), without a
    server; ``ReleaseValidator`` is for more questions to it. Raises UsageError where
    that is not built, and for what is no mapping.
    """
    from kubestencil.validator.release import ReleaseValidator

    with ReleaseValidator(release, definitions=definitions) as validator:
        return validator.create_all(objects)


def find(
    name: str, releases: Sequence[Release | _PathLike] = ("latest",)
) -> tuple[TypeMatch, ...]:
    """The types that ``name`` means in any of ``releases``, kinds first: releases, or what
    ``load`` takes.

    ``name`` is a kind or another type ("ResourceClaimStatus"), also with its group or
    API version ("apps/v1/Deployment"), or a name that kubectl takes ("deploy",
    "deployments.apps"), and the path of a field may follow ("pod.spec"). Raises
    UsageError for a type that no release has.
    """
    from kubestencil.schema.lookup import find_types

    return find_types([_parsed(release) for release in releases], name)


def field_paths(
    kind: str, release: Release | _PathLike = "latest"
) -> Iterator[FieldPath]:
    """All fields of a kind, each with its path: ``spec.template.spec.containers.image``.

    ``kind`` is a name as ``find`` takes it, of which the first match in its preferred API
    version counts; after the path of a field, the fields below that are left. ``release``
    is a release, or what ``load`` takes. Raises UsageError for a type or field that the
    release does not have.
    """
    from kubestencil.errors import UsageError
    from kubestencil.schema import field_paths as paths

    release = _parsed(release)
    match = find(kind, [release])[0]
    definition = paths.newest_definition(match, release)
    fields = paths.field_paths(definition, release) if definition else iter(())
    if match.field_path is None:
        return fields
    prefix = f"{match.field_path}."
    below = [field for field in fields if f"{field.path}.".startswith(prefix)]
    if not below:
        raise UsageError(f"{match.kind} has no field {match.field_path}")
    return iter(below[1:])


def field_facts(
    definition: str, field: str, release: Release | _PathLike = "latest"
) -> FieldFacts:
    """What is known of the values of a field: what the document states, and what the API
    server of a release with that name accepts and fills in, each with its origin.

    ``definition`` is a full name, as in ``FieldPath``, ``release`` a release, or what
    ``load`` takes. Of a kind, ``field`` may be a path, ``spec.template.spec.restartPolicy``:
    some facts hold at places of a kind only. Raises UsageError where the release lacks the
    definition or the field.
    """
    from kubestencil.errors import UsageError
    from kubestencil.schema.knowledge.fields import known_fields
    from kubestencil.schema.knowledge.places import known_place

    parsed = _parsed(release)
    found = parsed.definitions.get(definition)
    if found is not None and len(found.kinds) == 1:
        known = known_place(parsed, definition, found.kinds[0], field.split("."))
    else:
        fields = known_fields(parsed, definition) if found else iter(())
        known = next((known for known in fields if known.name == field), None)
    if known is not None:
        return known.facts
    raise UsageError(f"{parsed.name} has no field {field!r} in {definition!r}")


def history(
    releases: Sequence[Release | _PathLike], kind: str, field: str | None = None
) -> tuple[History, ...]:
    """How a type evolved through ``releases``, oldest first, and API versions.

    ``releases`` are releases, or what ``load`` takes.

    ``kind`` is a name as ``find`` takes it;
    ``field`` is the path of a field below it ("spec.replicas"). There is one history
    per group. Raises UsageError for a type or field that no release has.
    """
    from kubestencil import diff

    _refuse_strings("history", releases=releases)
    return diff.history([_parsed(release) for release in releases], kind, field)


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
    prune: bool = False,
    crds: Iterable[_PathLike] = (),
    unserved: bool = False,
    groups: Iterable[str] = (),
    kinds: Iterable[str] = (),
) -> Summary:
    """Generate files for ``targets`` of ``documents`` into ``out``; without any, for those
    of the command ``render`` without ``--all``.

    ``documents``, ``crds``, ``unserved``, ``groups`` and ``kinds`` are as for ``load``,
    for each of the documents. ``templates`` is a folder of your own targets,
    ``options`` maps "TARGET.OPTION" to a value, ``jobs`` is the number of processes.
    Files that kubestencil did not write are replaced only with ``overwrite``, and files
    of an earlier run that had other releases, limits or options are removed only with
    ``prune``.

    Raises KubestencilError (``kubestencil.errors``), in which case ``out`` is
    unchanged.
    """
    from kubestencil import build
    from kubestencil.engine import (
        check_options,
        check_release_names,
        choose_targets,
        load_targets,
    )
    from kubestencil.engine.run_cache import clear_run_caches

    clear_run_caches()
    _refuse_strings(
        "render",
        documents=documents,
        targets=targets,
        crds=crds,
        groups=groups,
        kinds=kinds,
    )
    all_targets = load_targets(None if templates is None else Path(templates))
    limits = _options(specs, crds, unserved, groups, kinds)
    sources = _sources(documents, limits)
    check_release_names((source.release for source in sources), all_targets)
    chosen = choose_targets(all_targets, list(targets), options or {}, len(sources))
    check_options(options or {}, chosen)
    covered = [] if prune else build.find_covered(sources, chosen, Path(out), limits)
    return build.render(
        [build.BuildRequest(sources, chosen, covered)],
        Path(out),
        jobs=jobs,
        overwrite=overwrite,
        prune=prune,
    )


def _parsed(document: Release | _PathLike) -> Release:
    """A release, or that in a document by its name or path; raises UsageError for others."""
    from kubestencil.schema import Release

    return document if isinstance(document, Release) else load(document)


def _refuse_strings(function: str, **lists: Iterable[Release | _PathLike]) -> None:
    from kubestencil.errors import UsageError

    for parameter, value in lists.items():
        if isinstance(value, str):
            raise UsageError(
                "must be a list, not a string",
                where=f"{function}: {parameter}",
                hint=f"write [{value!r}]",
            )


def _as_release(document: Release | _PathLike, options: DocumentOptions) -> Release:
    from kubestencil.schema import Release
    from kubestencil.schema.lazy import load_lazily

    if isinstance(document, Release):
        return document
    return load_lazily(*_sources([document], options))


def _sources(
    documents: Iterable[_PathLike], options: DocumentOptions, label: str | None = None
) -> list[Source]:
    from kubestencil.errors import UsageError
    from kubestencil.source.find import find_document

    paths = list(documents)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise UsageError(
                f"{type(path).__name__} is no release",
                hint='give a release by its name ("1.35"), or what load() returns',
            )
    return options.complete(
        find_document(os.fspath(path), options, label) for path in paths
    )


def _options(
    specs: _PathLike | None,
    crds: Iterable[_PathLike],
    unserved: bool,
    groups: Iterable[str] = (),
    kinds: Iterable[str] = (),
) -> DocumentOptions:
    """The options of parameters that ``load``, ``check`` and ``render`` share."""
    from kubestencil.source.find import DocumentOptions

    return DocumentOptions(
        None if specs is None else Path(specs),
        tuple(os.fspath(location) for location in crds),
        unserved,
        tuple(groups),
        tuple(kinds),
    )
