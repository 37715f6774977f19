"""The files that pages load: those of the target, and those that its options name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kubestencil.engine.manifest import Target, find_file
from kubestencil.targets.site.options import SiteOptions

# The subfolder of a target's folders whose files are copied.
_ASSETS = "assets"
# The style and the script of reports, which stand-alone reports have in the page.
_REPORT_ASSETS = {"report.css": "page.css", "report.js": "page.js"}


def asset_files(target: Target, options: SiteOptions) -> Iterator[tuple[str, bytes]]:
    """The path of each file below ``assets/``, and its bytes."""
    paths: dict[str, Path] = {}
    # The first folder, which is the user's, comes last and replaces built-in files.
    for folder in reversed(target.folders):
        for path in sorted((folder / _ASSETS).rglob("*")):
            if path.is_file():
                paths[path.relative_to(folder / _ASSETS).as_posix()] = path
    folders = _report_folders(target)
    for name, original in _REPORT_ASSETS.items():
        paths[name] = find_file(folders, original)
    for name, path in paths.items():
        data = path.read_bytes()
        if name == "theme.css" and options.theme:
            data += b"\n" + options.theme.read_bytes()
        yield name, data
    if options.logo:
        yield options.logo_name, options.logo.read_bytes()


def _report_folders(target: Target) -> tuple[Path, ...]:
    """The template folders of the reports.

    Raises TargetError where the target ``diff`` does not exist.
    """
    reports = target.dependency("diff")
    if reports is None:
        raise target.error("the target diff does not exist", "depends_on")
    return reports.folders
