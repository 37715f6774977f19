"""Target manifests, views, templates and printing."""

from kubestencil.engine.manifest import Target, load_targets
from kubestencil.engine.printing import File, print_contexts
from kubestencil.engine.selection import check_release_names, choose_targets
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
    "load_targets",
    "print_contexts",
]
