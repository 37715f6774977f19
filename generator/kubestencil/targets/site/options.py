"""The options of the site that its view reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options

_LOGO_SUFFIXES = (".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


@dataclass(frozen=True, slots=True)
class _Options:
    """The options as they are in the manifest."""

    url: str
    logo: str
    theme: str
    pages: str


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The options that the view reads.

    ``url`` is the URL of the site and ends in a slash, ``logo`` a file with an image,
    ``theme`` a style sheet, ``pages`` a folder. Each is empty, or None, where the
    option is.
    """

    url: str
    logo: Path | None
    theme: Path | None
    pages: Path | None

    @property
    def logo_name(self) -> str:
        """The file name of the logo among the assets, empty where there is none."""
        return f"logo{self.logo.suffix.lower()}" if self.logo else ""


def site_options(target: Target) -> SiteOptions:
    """The options of a target.

    Raises ``option_error`` for a URL that cannot be that of a site, and for a file or
    folder that does not exist or has the wrong suffix.
    """
    options = read_options(target, _Options)
    pages = Path(options.pages) if options.pages else None
    if pages and not pages.is_dir():
        raise target.option_error("is not a folder", "pages")
    return SiteOptions(
        _site_url(target, options.url),
        _file(target, "logo", options.logo, _LOGO_SUFFIXES),
        _file(target, "theme", options.theme, (".css",)),
        pages,
    )


def _file(
    target: Target, option: str, value: str, suffixes: Sequence[str]
) -> Path | None:
    if not value:
        return None
    path = Path(value)
    if path.suffix.lower() not in suffixes or not path.is_file():
        raise target.option_error(
            f"must be a file that ends in {' or '.join(suffixes)}", option
        )
    return path


def _site_url(target: Target, url: str) -> str:
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise target.option_error(
            "must be the URL of the site, such as https://example.com/kubernetes/",
            "url",
        )
    return url if url.endswith("/") else f"{url}/"
