"""The files that the site's options name, and those that it borrows."""

from __future__ import annotations

from pathlib import Path

from kubestencil.engine.manifest import Target
from kubestencil.errors import UsageError

_SUFFIXES = {
    "logo": (".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
    "theme": (".css",),
}


def logo(target: Target) -> str:
    """The file name of the logo among the assets, empty where there is none."""
    found = named(target, "logo")
    return f"logo{found.suffix.lower()}" if found else ""


def named(target: Target, option: str) -> Path | None:
    """The file that an option names, None where it is empty.

    Raises UsageError for what is no file, or none of its kind.
    """
    given = str(target.options[option])
    if not given:
        return None
    path = Path(given)
    suffixes = _SUFFIXES[option]
    if path.suffix.lower() not in suffixes or not path.is_file():
        raise UsageError(
            f"must be a file that ends in {' or '.join(suffixes)}",
            where=f"--set {target.name}.{option}={given}",
        )
    return path


def report_folders(target: Target) -> tuple[Path, ...]:
    """Where the reports' own templates are."""
    reports = target.dependency("diff")
    if reports is None:
        raise target.error("there is no target diff to borrow from", "borrows")
    return reports.folders
