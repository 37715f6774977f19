"""The files that pages load: those of the target, and those that its options name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kubestencil.engine.manifest import Target, find_file
from kubestencil.targets.site.options import logo_name, option_file, report_folders

# The subfolder of a target's folders whose files are copied.
_ASSETS = "assets"
# The style and the script of reports, which stand-alone reports have in the page.
_REPORT_ASSETS = {"report.css": "page.css", "report.js": "page.js"}


def asset_files(target: Target) -> Iterator[tuple[str, bytes]]:
    """The path of each file below ``assets/``, and its bytes.

    Raises ``option_error`` for an option that does not name a file of the right type.
    """
    paths: dict[str, Path] = {}
    # The first folder, which is the user's, comes last and replaces built-in files.
    for folder in reversed(target.folders):
        for path in sorted((folder / _ASSETS).rglob("*")):
            if path.is_file():
                paths[path.relative_to(folder / _ASSETS).as_posix()] = path
    folders = report_folders(target)
    for name, original in _REPORT_ASSETS.items():
        paths[name] = find_file(folders, original)
    theme = option_file(target, "theme")
    for name, path in paths.items():
        data = path.read_bytes()
        if name == "theme.css" and theme:
            data += b"\n" + theme.read_bytes()
        yield name, data
    logo = option_file(target, "logo")
    if logo:
        yield logo_name(target), logo.read_bytes()
