"""The options of the site that its view reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options

_LOGO_SUFFIXES = (".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The options that the view reads; texts may be empty.

    ``url`` is the URL of the site and ends in a slash, ``logo`` a file with an image,
    ``theme`` a style sheet, ``pages`` a folder. With ``configurations``, the site has the
    configuration files of programs; with ``official_python``, examples in Python use the
    official client.
    """

    url: str
    logo: str
    theme: str
    pages: str
    configurations: bool
    official_python: bool

    @property
    def python_module(self) -> str:
        """The module that examples import classes from, empty for that of the target
        ``python``."""
        return "kubernetes.client" if self.official_python else ""

    @property
    def logo_name(self) -> str:
        """The file name of the logo among the assets, empty where there is none."""
        return f"logo{Path(self.logo).suffix.lower()}" if self.logo else ""


def site_options(target: Target) -> SiteOptions:
    """The options of a target.

    Raises ``option_error`` for a URL that cannot be that of a site, and for a file or
    folder that does not exist or has the wrong suffix.
    """
    options = read_options(target, SiteOptions)
    if options.pages and not Path(options.pages).is_dir():
        raise target.option_error("is not a folder", "pages")
    for name, value, suffixes in (
        ("logo", options.logo, _LOGO_SUFFIXES),
        ("theme", options.theme, (".css",)),
    ):
        path = Path(value)
        if value and (path.suffix.lower() not in suffixes or not path.is_file()):
            raise target.option_error(
                f"must be a file that ends in {' or '.join(suffixes)}", name
            )
    if not options.url:
        return options
    url = urlsplit(options.url)
    if url.scheme not in ("http", "https") or not url.netloc or url.query:
        raise target.option_error(
            "must be the URL of the site, such as https://example.com/kubernetes/",
            "url",
        )
    return replace(options, url=f"{options.url.removesuffix('/')}/")
