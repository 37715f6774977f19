"""The built-in views, and where those of other packages are found.

A folder here is the code of one target, which imports no other target. What several
share is below them: ``languages`` (names and types of code), ``examples`` of kinds, and
``reports`` of changes. A target without code uses the view ``model``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kubestencil.engine import MultiReleaseView, View, render_contexts
from kubestencil.engine.view import AnyView, NamingView, PublicName, quirks_of
from kubestencil.errors import nearest
from kubestencil.text.controls import one_line

# Imported where they are needed: reports need the templates only, and most runs no
# entry points.
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from kubestencil.engine import File, Target
    from kubestencil.engine.manifest import Scope
    from kubestencil.schema import Release

#: The entry point group in which other packages register views
#: (docs/target-reference.md).
ENTRY_POINTS = "kubestencil.views"

# Modules, imported when a target asks for one: a run seldom needs all.
_VIEWS: Mapping[Scope, Mapping[str, str]] = {
    "release": {
        "jsonnet": "kubestencil.targets.jsonnet.view",
        "jsonnet-docs": "kubestencil.targets.jsonnet_docs.view",
        "jsonschema": "kubestencil.targets.jsonschema.view",
        "markdown": "kubestencil.targets.markdown.view",
        "model": "kubestencil.targets.model.view",
        "python": "kubestencil.targets.python.view",
        "python-client": "kubestencil.targets.python_client.view",
        "rust": "kubestencil.targets.rust.view",
        "validator": "kubestencil.targets.validator.view",
        "website": "kubestencil.targets.website.view",
    },
    "releases": {
        "reports": "kubestencil.targets.reports.view",
        "site": "kubestencil.targets.site.view",
    },
    "manifests": {"check": "kubestencil.targets.check.view"},
}


def generate_files(release: Release, target: Target) -> Iterator[File]:
    """Generate every file of a target of scope ``release``.

    Raises SpecError for a document that the target cannot use, TargetError for a
    mistake in the target.
    """
    view = load_view(target)
    shared = {
        "release": release.name,
        "origin": one_line(release.origin),
        "sha256": release.sha256,
    }
    contexts = view.make_contexts(release_for(target, release), target)
    return render_contexts(contexts, target, shared)


def release_for(target: Target, release: Release) -> Release:
    """A release as a target has it: with types inside of custom resources that are
    built-in ones, where its option ``share_types`` is set."""
    if target.options.get("share_types") is not True:
        return release
    from kubestencil.schema.custom_resources.shared_types import share_types

    return share_types(release)


def generate_part(
    name: str, releases: Sequence[Release], context: Any, target: Target
) -> Iterator[File]:
    """Generate every file of one part of a target of scope ``releases``; ``context`` is
    what ``Part.context`` returned. Raises as ``generate_files`` does."""
    view = load_multi_release_view(target)
    contexts = view.make_part_contexts(name, releases, context, target)
    return render_contexts(contexts, target, {"part": name})


def load_view(target: Target) -> View:
    """The view of a target of scope ``release``.

    Raises TargetError where no view has the name that the manifest gives, or it does
    not implement ``View``.
    """
    view = load_any_view(target)
    if not isinstance(view, View):
        raise target.error("does not implement kubestencil.engine.View", "view")
    return view


def public_names(release: Release, target: Target) -> Mapping[str, PublicName] | None:
    """The names that code depends on which uses the files of a target; None for a target
    that has none. Raises as ``generate_files`` does."""
    view = load_any_view(target)
    if not isinstance(view, NamingView):
        return None
    return view.public_names(release_for(target, release), target)


def load_multi_release_view(target: Target) -> MultiReleaseView:
    """The view of a target of scope ``releases``; raises as ``load_view`` does."""
    view = load_any_view(target)
    if not isinstance(view, MultiReleaseView):
        raise target.error(
            "does not implement kubestencil.engine.MultiReleaseView", "view"
        )
    return view


def load_any_view(target: Target) -> AnyView:
    """The view of a target of any scope; raises as ``load_view`` does."""
    view = _load(target)
    if not isinstance(view, AnyView):
        raise target.error(
            "does not implement kubestencil.engine.View or MultiReleaseView", "view"
        )
    for quirk in target.quirks:
        if quirk not in quirks_of(view):
            raise target.error(
                "is a quirk that the view does not have",
                f"quirks.{quirk}",
                nearest(quirk, quirks_of(view)),
            )
    return view


def installed_view(name: str) -> EntryPoint | None:
    """The entry point of a view that another package provides, None for a built-in
    view and for an unknown name."""
    if any(name in views for views in _VIEWS.values()):
        return None
    return next(iter(_installed_views().select(name=name)), None)


def _installed_views() -> EntryPoints:
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINTS)


def _load(target: Target) -> Any:
    built_in = _VIEWS[target.scope]
    if target.view in built_in:
        return import_module(built_in[target.view])
    point = installed_view(target.view)
    if point is None:
        others = _installed_views().names
        raise target.error(
            f"unknown view {target.view!r} of scope {target.scope!r}",
            "view",
            nearest(target.view, [*built_in, *others]),
        )
    try:
        return point.load()
    except Exception as error:
        raise target.error(
            f"{point.value} cannot be imported: {error}",
            "view",
            f"repair or remove the package that registers it under {ENTRY_POINTS}",
        ) from error
