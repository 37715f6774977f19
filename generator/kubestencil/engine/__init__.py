"""Target manifests, views, templates, and the rendering of files.

``manifest_files`` reads ``target.toml`` with what it extends, ``manifest`` checks it,
and ``selection`` chooses targets and applies ``options``. ``view`` has the protocols
of views. ``environment`` finds templates, and ``templates`` renders them strictly,
with ``filters``. ``rendering`` turns contexts into paths and bytes,
and ``formatting`` formats them. ``reports`` finds the formats of reports.
``reference`` and ``members`` document a target for ``kubestencil targets NAME``.
``run_cache`` forgets what was kept for a run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Imported on first access: a report needs the templates only.
if TYPE_CHECKING:
    from kubestencil.engine.manifest import Target, load_targets
    from kubestencil.engine.options import read_options
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
else:
    _NAMES = {
        "manifest": ("Target", "load_targets"),
        "options": ("read_options",),
        "rendering": ("File", "render_contexts"),
        "selection": ("check_release_names", "choose_targets", "find_target"),
        "view": (
            *("Contexts", "Each", "FileContext", "MultiReleaseView", "Part"),
            "View",
        ),
    }
    _MODULES = {name: module for module, names in _NAMES.items() for name in names}

    def __getattr__(name: str) -> Any:
        """Import a name when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


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
    "read_options",
    "render_contexts",
]
