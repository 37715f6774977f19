"""Finding one's way on the docs site: the data of the tree of groups and kinds, other
releases and versions, addresses that stay, and what search engines read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from kubestencil.targets.site import sitemap
from tests.conftest import make_command
from tests.site_pages import Site

pytestmark = pytest.mark.nightly
URL = "https://example.com/k8s/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three releases with a URL, from the embedded documents."""
    folder = tmp_path_factory.mktemp("site")
    done = make_command(folder)(
        *("render", "1.33..1.35", "-t", "site", "-o", "out", f"--set=site.url={URL}")
    )
    assert done.returncode == 0, done.stderr
    return folder / "out" / "site"


@pytest.fixture(scope="module")
def site(folder: Path) -> Site:
    return Site(folder, "/k8s/")


def read_script(path: Path, function: str) -> Any:
    """The value that a script passes to a function."""
    text = path.read_text("utf-8")
    assert text.startswith(f"{function}(")
    return json.loads(text.removeprefix(f"{function}(").removesuffix(")\n"))


def test_the_tree_has_every_kind(folder: Path, site: Site) -> None:
    groups = read_script(folder / "1.35" / "navigation.js", "kubestencilNavigation")
    paths = {
        f"1.35/{group}/{version}/{kind}/"
        for group, versions in groups
        for version, kinds in versions
        for kind in kinds
    }
    assert "1.35/apps/v1/Deployment/" in paths
    assert "1.35/resource.k8s.io/v1beta1/ResourceClaim/" in paths
    kinds = {path.removesuffix("all/") for path in site.pages if path.endswith("/all/")}
    assert paths == {path for path in kinds if path.startswith("1.35/")}


def test_an_old_release_links_to_the_page_in_the_newest(site: Site) -> None:
    page = site.page("1.33/core/v1/Pod/").text
    link = '<a data-switch href="../../../../1.35/core/v1/Pod/">This page in 1.35</a>'
    assert link in page
    assert "is not the newest" not in site.page("1.35/core/v1/Pod/").text
    removed = site.page("1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/").text
    assert "1.35</a> does not have this page." in removed


def test_an_old_version_links_to_the_newer_one_of_its_release(site: Site) -> None:
    """To the one that the release prefers, and to none that it does not have."""
    path = "resource.k8s.io/v1beta1/ResourceClaim/"
    link = '<a href="../../../resource.k8s.io/{0}/ResourceClaim/">resource.k8s.io/{0} '
    assert link.format("v1") in site.page(f"1.35/{path}").text
    assert link.format("v1beta2") in site.page(f"1.33/{path}").text
    newest = site.page("1.35/resource.k8s.io/v1/ResourceClaim/").text
    assert "A newer version is available" not in newest


def test_latest_addresses_lead_to_the_newest_release_that_has_the_page(
    site: Site,
) -> None:
    targets = {
        "": "1.35/",
        "apps/": "1.35/apps/",
        "apps/v1/Deployment/": "1.35/apps/v1/Deployment/",
        "storage.k8s.io/v1alpha1/VolumeAttributesClass/": (
            "1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/"
        ),
    }
    for path, target in targets.items():
        text = site.page(f"latest/{path}").text
        root = "../" * (path.count("/") + 1)
        assert f'url={root}{target}"></noscript>' in text
        assert f'<link rel="canonical" href="{URL}{target}">' in text
        assert site.broken_links(site.page(f"latest/{path}")) == []
    types = {
        path.partition("/")[2]
        for path, page in site.pages.items()
        if path.count("/") == 4 and "Not in " not in page.text[:6000]
    }
    assert len(types) > 700
    assert {f"latest/{path}" for path in types} <= site.pages.keys()


CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')


def test_canonical_addresses_name_the_newest_release_that_has_the_page(
    site: Site,
) -> None:
    for release in ("1.33", "1.34", "1.35"):
        page = site.page(f"{release}/core/v1/Pod/").text
        assert CANONICAL.findall(page) == [f"{URL}1.35/core/v1/Pod/"]
    removed = site.page("1.33/storage.k8s.io/v1alpha1/VolumeAttributesClass/").text
    assert CANONICAL.findall(removed) == [
        f"{URL}1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/"
    ]
    absent = site.page("1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/").text
    assert CANONICAL.findall(absent) == []
    assert '<meta name="robots" content="noindex">' in absent


def test_every_page_has_a_title_and_a_description(site: Site) -> None:
    """For search engines, and for those that show a card for a link."""
    titles: dict[str, str] = {}
    for path, page in site.pages.items():
        if path.startswith(("latest/", "k/")):
            continue
        title = re.search(r"<title>([^<]+)</title>", page.text)
        assert title, path
        assert f'<meta property="og:title" content="{title[1]}">' in page.text, path
        assert re.search(
            r'<meta name="description" property="og:description" content="[^"]{9,}">',
            page.text,
        ), path
        titles[path] = title[1]
    kinds = [
        path for path in titles if path.startswith("1.35/") and path.count("/") == 4
    ]
    assert len({titles[path] for path in kinds}) == len(kinds)


def sitemap_addresses(path: Path) -> list[str]:
    locations = ElementTree.parse(path).getroot().findall(".//{*}loc")
    return [location.text or "" for location in locations]


def test_the_sitemap_has_each_page_once_in_the_newest_release(
    folder: Path, site: Site
) -> None:
    addresses = sitemap_addresses(folder / "sitemap.xml")
    assert len(set(addresses)) == len(addresses)
    assert f"{URL}1.35/core/v1/Pod/" in addresses
    assert f"{URL}1.34/core/v1/Pod/" not in addresses
    assert {f"{URL}{path}" for path in ("", "compare/", "diff/", "1.33/")} < {
        *addresses
    }
    assert f"{URL}diff/1.33-1.35.html" in addresses
    for address in addresses:
        page = site.pages[address.removeprefix(URL)]
        assert "noindex" not in page.text[:2000], address
    listed = {
        canonical
        for page in site.pages.values()
        for canonical in CANONICAL.findall(page.text)
    }
    subpages = {
        address for address in listed if address.endswith(("/all/", "/operations/"))
    }
    assert listed - subpages <= {*addresses}


def test_a_large_sitemap_is_split() -> None:
    """The protocol allows 50,000 addresses in a file."""
    pages = [f"{number}/" for number in range(50_001)]
    files = [*sitemap.sitemap_contexts(URL, pages)]
    assert [file.placeholders["path"] for file in files] == [
        *("sitemap-1.xml", "sitemap-2.xml", "sitemap.xml")
    ]
    parts = [file.variables["addresses"] for file in files]
    assert [len(part) for part in parts] == [50_000, 1, 0]
    assert parts[1] == (f"{URL}50000/",)
    assert files[-1].variables["sitemaps"] == (
        f"{URL}sitemap-1.xml",
        f"{URL}sitemap-2.xml",
    )


def test_no_host_is_made_up(tmp_path: Path) -> None:
    """Without the option url there is no canonical address and no sitemap."""
    options = ("--kind", "Deployment", "-t", "site", "-o", "out")
    done = make_command(tmp_path)("render", "1.35", *options)
    assert done.returncode == 0, done.stderr
    site = Site(tmp_path / "out" / "site")
    assert "sitemap.xml" not in site.files
    for page in site.pages.values():
        assert 'rel="canonical"' not in page.text
        assert "localhost" not in page.text[:3000]


def test_the_changes_of_releases_are_those_of_the_pages(
    folder: Path, site: Site
) -> None:
    """The page that compares releases has what the history of each type has."""
    changes = read_script(folder / "compare" / "1.35.js", "kubestencilChanges")
    assert "scheduling.k8s.io/v1alpha1/Workload" in changes["added"]
    assert "storage.k8s.io/v1alpha1/VolumeAttributesClass" in changes["removed"]
    paths = [item[0] for item in changes["changed"]["core/v1/PodSpec"]]
    assert "workloadRef" in paths
    page = site.page("1.35/core/v1/PodSpec/").text
    history = page[page.index('data-changes="1.35"') :].partition("</ul>")[0]
    shown = re.findall(r"<code>([^<]*)</code>", history)
    assert shown == paths
    assert {path.name for path in (folder / "compare").iterdir()} == {
        *("index.html", "1.34.js", "1.35.js")
    }


def test_reports_have_the_header_of_the_site(site: Site) -> None:
    for path in ("diff/", "diff/1.34-1.35.html", "diff/history.html"):
        page = site.page(path)
        assert 'id="find"' in page.text
        assert "../compare/" in page.links
        assert page.text.count("<main") == 1
