"""Target manifests, views, templates, and the rendering of files.

``manifest_files`` reads ``target.toml`` with what it extends, ``manifest`` checks it,
and ``selection`` chooses targets and applies ``options``. ``view`` has the protocols
of views. ``environment`` finds templates, and ``templates`` renders them strictly,
with ``filters``. ``rendering`` turns contexts into paths and bytes, or
reports, and ``formatting`` formats them.
``reference`` and ``members`` document a target for ``kubestencil targets NAME``.
``run_cache`` forgets what was kept for a run.
"""

from kubestencil.engine.manifest import Target, load_targets
from kubestencil.engine.options import read_options
from kubestencil.engine.rendering import File, render_contexts
from kubestencil.engine.selection import (
    check_options,
    check_release_names,
    choose_targets,
    find_target,
    possible_targets,
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
    "check_options",
    "check_release_names",
    "choose_targets",
    "find_target",
    "load_targets",
    "possible_targets",
    "read_options",
    "render_contexts",
]
