"""The site's options that name files, and the templates that it shares with reports."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from kubestencil.engine.manifest import Target

FileOption = Literal["logo", "theme"]

_SUFFIXES: dict[FileOption, tuple[str, ...]] = {
    "logo": (".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
    "theme": (".css",),
}


def logo_name(target: Target) -> str:
    """The file name of the logo among the assets, empty where there is none."""
    path = option_file(target, "logo")
    return f"logo{path.suffix.lower()}" if path else ""


def option_file(target: Target, option: FileOption) -> Path | None:
    """The file that an option names, None where the option is empty.

    Raises ``option_error`` where that is no file, or has the wrong suffix.
    """
    value = str(target.options[option])
    if not value:
        return None
    path = Path(value)
    suffixes = _SUFFIXES[option]
    if path.suffix.lower() not in suffixes or not path.is_file():
        raise target.option_error(
            f"must be a file that ends in {' or '.join(suffixes)}", option
        )
    return path


def site_url(target: Target) -> str:
    """The URL of the site, which ends in a slash; empty where the option is.

    Raises ``option_error`` for an option that is not such a URL.
    """
    url = str(target.options["url"])
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise target.option_error(
            "must be the URL of the site, such as https://example.com/kubernetes/",
            "url",
        )
    return url if url.endswith("/") else f"{url}/"


def report_folders(target: Target) -> tuple[Path, ...]:
    """The template folders of the reports.

    Raises TargetError where the target ``diff`` does not exist.
    """
    reports = target.dependency("diff")
    if reports is None:
        raise target.error("the target diff does not exist", "depends_on")
    return reports.folders
