"""The files outside of the release folders: start page, sitemap, page for unknown
addresses, pages that compare releases, assets, and the user's own pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from kubestencil.checking.files.placeholders import DELIMITERS, PATTERNS
from kubestencil.data_files import data_file
from kubestencil.engine.manifest import Target, find_file
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.source.releases import newest_of
from kubestencil.targets.site import search_index, sitemap
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.compact import compact
from kubestencil.targets.site.examples.field_code import go_fields_script
from kubestencil.targets.site.listing import api_groups
from kubestencil.targets.site.navigation import (
    SHARED_VARIABLES,
    canonical,
    shared_variables,
)
from kubestencil.targets.site.options import SiteOptions, site_options
from kubestencil.targets.site.pages import comparison, extra_pages, start_page
from kubestencil.targets.site.pages.extra_pages import (
    ExtraPage,
    TypeLinks,
    UserFiles,
)
from kubestencil.targets.site.pages.reports import report_links
from kubestencil.targets.site.release_context import SiteContext

#: The folder of the page that checks a manifest.
CHECK = "check"

_PAGES = "own-pages.js"
_OTHER_RELEASES_INDEX = "other-releases.js"
# The subfolder of a target's folders whose files are copied.
_ASSETS = "assets"
# The colours of the site and of reports.
_THEME = "_theme/theme.css"
# The style and the script of reports, which stand-alone reports have in the page.
_REPORT_ASSETS = {"report.css": "page.css", "report.js": "page.js"}

#: What this part generates, in the folder of the site.
EACH: Mapping[str, Each] = {
    "site": Each(
        "the start page of the site, which shows the newest release",
        {},
        {**start_page.VARIABLES, **SHARED_VARIABLES},
    ),
    **sitemap.EACH,
    **comparison.EACH,
    "opensearch": Each(
        "the description of the search for browsers, with the option url",
        {},
        SHARED_VARIABLES,
    ),
    "manifest-check": Each(
        "the page that checks a manifest in the browser",
        {},
        {"placeholders": str, **SHARED_VARIABLES},
    ),
    "not-found": Each(
        "the page that a server shows for an unknown address", {}, SHARED_VARIABLES
    ),
    "extra-page": Each(
        "a page for each Markdown file in the folder that the option pages names",
        {"path": "the file's path in the folder, without .md"},
        {"page": ExtraPage, **SHARED_VARIABLES},
    ),
    "extra-file": Each(
        "the pictures and other files in that folder, without a template",
        {"path": "the file's path in the folder"},
    ),
    "asset": Each(
        "the files that pages load, without a template",
        {"path": "the file's path below assets/"},
    ),
}


def make_contexts(
    releases: Sequence[Release], site: SiteContext, target: Target
) -> Contexts:
    """The contexts of the files outside of the release folders; ``releases`` come
    oldest first."""
    context, options = site.newest, site_options(target)
    addresses = [page_addresses(release) for release in releases]
    index = search_index.other_releases_index(
        releases, addresses, context.releases_by_type
    )
    user_files = UserFiles(options.pages)
    at = context.releases.index(newest_of(context.releases))
    newest, newest_addresses = releases[at], addresses[at]
    links = TypeLinks(newest, newest_addresses)
    user_files.check_examples(newest, newest_addresses)
    pages = user_files.pages(links)
    folders = tuple(extra_pages.page_folders(pages))
    groups = api_groups(newest, newest_addresses, kind_definitions(newest))
    start = {
        **start_page.start_variables(newest, context, groups, newest_addresses),
        "root": "",
        "prefix": f"{newest.name}/",
        "canonical": options.url,
        "folders": tuple(
            extra_pages.page_folders(page for page in pages if page.path != "index")
        ),
        "home": user_files.home(links),
    }
    type_addresses = sorted(
        sitemap.newest_addresses(context.releases, context.releases_by_type)
    )
    return Contexts(
        files={
            "site": lambda: [FileContext("the start page", {}, start)],
            "sitemap": lambda: sitemap.sitemap_contexts(
                options.url,
                [*_other_addresses(context.releases, pages), *type_addresses],
            ),
            "latest": lambda: chain(
                sitemap.latest_contexts(
                    [f"{newest.name}/", *type_addresses],
                    context.releases,
                    options.url,
                ),
                sitemap.short_contexts(
                    newest, newest_addresses, context.releases, options.url
                ),
            ),
            "comparison": lambda: comparison.page_context(
                context.releases, options.url
            ),
            "release-changes": lambda: comparison.changes_contexts(site),
            "opensearch": lambda: (
                [FileContext("the description of the search", {}, {"root": ""})]
                if options.url
                else []
            ),
            "manifest-check": lambda: [
                FileContext(
                    "the page that checks a manifest",
                    {},
                    {
                        "root": "../",
                        "canonical": canonical(options.url, f"{CHECK}/"),
                        "placeholders": json.dumps(
                            {"delimiters": DELIMITERS, "patterns": PATTERNS}
                        ),
                    },
                )
            ],
            # Where a server shows it: its links are absolute.
            "not-found": lambda: [
                FileContext(
                    "the page for unknown addresses",
                    {},
                    {"root": urlsplit(options.url).path or "/"},
                )
            ],
            "extra-page": lambda: extra_pages.page_contexts(pages),
            "extra-file": user_files.other_files,
            "asset": lambda: _assets(
                target,
                options,
                {
                    _OTHER_RELEASES_INDEX: index,
                    "go-fields.js": go_fields_script(addresses),
                    **({_PAGES: extra_pages.pages_script(folders)} if pages else {}),
                    comparison.REFERENCES: comparison.references_script(
                        releases, addresses
                    ),
                },
            ),
        },
        shared_variables=shared_variables(context.releases, options.logo_name),
    )


def _other_addresses(
    releases: Sequence[str], pages: Sequence[ExtraPage]
) -> Iterator[str]:
    """The addresses of all pages but those of types, versions and groups."""
    yield ""
    yield f"{CHECK}/"
    yield from (f"{release}/" for release in reversed(releases))
    if len(releases) > 1:
        yield from (f"{comparison.FOLDER}/", "diff/", "diff/history.html")
        yield from (report.address for report in report_links(releases))
    yield from (f"pages/{page.path}/" for page in pages)


def _assets(
    target: Target, options: SiteOptions, scripts: Mapping[str, bytes]
) -> Iterator[FileContext]:
    """The files that pages load: those of the target, and those that its options name.

    Raises TargetError where the target ``diff`` does not exist.
    """
    paths = {"theme.css": find_file(target.roots, _THEME)}
    # The first folder, which is the user's, comes last and replaces built-in files.
    for folder in reversed(target.folders):
        for path in sorted((folder / _ASSETS).rglob("*")):
            if path.is_file():
                paths[path.relative_to(folder / _ASSETS).as_posix()] = path
    reports = target.dependency("diff")
    if reports is None:
        raise target.error("the target diff does not exist", "depends_on")
    for name, original in _REPORT_ASSETS.items():
        paths[name] = find_file(reports.folders, original)
    if options.logo:
        paths[options.logo_name] = Path(options.logo)
    built_in = data_file("templates")
    for name, path in paths.items():
        data = path.read_bytes()
        # What users write is copied as it is.
        if path.is_relative_to(built_in):
            data = compact(name, data)
        if name == "theme.css" and options.theme:
            data += b"\n" + Path(options.theme).read_bytes()
        yield FileContext(name, {"path": name}, {}, data)
    for name, data in scripts.items():
        yield FileContext(name, {"path": name}, {}, data)
