"""Target manifests, views, templates, and the rendering of files."""

from kubestencil.engine.manifest import Target, load_targets
from kubestencil.engine.rendering import File, render_contexts
from kubestencil.engine.selection import (
    check_release_names,
    choose_targets,
    find_target,
)
from kubestencil.engine.view import (
    Contexts,
    Each,
    FileContext,
    MultiReleaseView,
    Part,
    View,
)

__all__ = [
    "Contexts",
    "Each",
    "File",
    "FileContext",
    "MultiReleaseView",
    "Part",
    "Target",
    "View",
    "check_release_names",
    "choose_targets",
    "find_target",
    "load_targets",
    "render_contexts",
]
