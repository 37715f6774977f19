"""The docs site: every address leads somewhere, history is told where it belongs, a
release is rebuilt by itself, and text from a spec stays text."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.schema.load import load_release
from kubestencil.source import Source, locate
from tests.conftest import POD, Command, command, document, visible
from tests.site_pages import Site, Tags
from tests.strategies import VALID_NAMES, documents, print_all_files

KIB = 1024
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three releases, from the embedded specs."""
    folder = tmp_path_factory.mktemp("site")
    done = command(folder)("render", "1.33..1.35", "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    return folder / "out" / "site"


@pytest.fixture(scope="module")
def site(folder: Path) -> Site:
    return Site(folder)


# --- addresses and links


def test_all_links_and_anchors_lead_somewhere(site: Site) -> None:
    """Of every page, and of all that can be unfolded on it, into any release."""
    assert len(site.pages) > 2500
    broken = {
        page.path: found for page in site.pages.values() if (found := site.broken(page))
    }
    assert broken == {}


@pytest.mark.parametrize(
    "address",
    [
        "1.35/apps/v1/Deployment/",
        "1.35/core/v1/PodSpec/",
        "1.35/resource.k8s.io/v1/ResourceClaim/",
        "1.35/meta/v1/ObjectMeta/",
        "1.35/intstr/unversioned/IntOrString/",
        "1.35/apps/v1/Deployment/all/",
        "1.35/apps/v1/",
        "1.35/apps/",
        "1.35/",
        "",
        "404.html",
        "diff/",
        "diff/1.34-1.35.html",
        "diff/history.html",
    ],
)
def test_addresses_stay(site: Site, address: str) -> None:
    assert address in site.pages


def test_a_field_is_reached_at_any_depth(site: Site) -> None:
    page = site.page("1.35/apps/v1/Deployment/")
    assert page.has("spec.template.spec.containers")
    way = "spec.template.spec.containers.livenessProbe.httpGet.httpHeaders.value"
    assert page.has(way)
    assert not page.has("spec.template.spec.container")


def test_the_way_from_a_kind_to_a_type_is_told(site: Site) -> None:
    page = site.page("1.35/core/v1/Container/")
    way = "../../../apps/v1/Deployment/#spec.template.spec.containers"
    assert way in page.links
    assert "../../../core/v1/PodSpec/#containers" in page.links


def test_sitemap_has_every_page_of_a_type(folder: Path, site: Site) -> None:
    sitemap = (folder / "sitemap.xml").read_text()
    assert "<loc>http://localhost:8000/1.35/apps/v1/Deployment/</loc>" in sitemap
    listed = sitemap.count("<loc>")
    absent = sum(" not in " in page.text[:4000] for page in site.pages.values())
    assert 2000 < listed <= len(site.pages) - absent


# --- history


def line(site: Site, address: str, field: str) -> str:
    """What stands beside a field on its page."""
    text = site.page(address).text
    start = text.index(f'<li id="{field}">')
    return text[start : text.index("</div>", start)]


def test_history_stands_at_fields_and_kinds(site: Site) -> None:
    """1.34 had its DRA API stable, and gave containers rules of restarting."""
    assert "since 1.34" in line(site, "1.35/core/v1/Container/", "restartPolicyRules")
    assert "since" not in line(site, "1.35/core/v1/Container/", "name")
    claim = site.page("1.35/resource.k8s.io/v1/ResourceClaim/").text
    assert '<h1>ResourceClaim <i class="since">since 1.34</i></h1>' in claim
    gone = site.page("1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "gone in 1.35" in gone.text
    assert "../../../../1.35/storage.k8s.io/v1/VolumeAttributesClass/" in gone.links


def test_a_release_without_a_type_says_so_and_what_there_is(site: Site) -> None:
    page = site.page("1.33/resource.k8s.io/v1/ResourceClaim/")
    assert "not in 1.33" in page.text
    assert "comes with 1.34" in page.text
    assert "../../../resource.k8s.io/v1beta2/ResourceClaim/" in page.links
    gone = site.page("1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "was in 1.33 to 1.34" in gone.text
    assert "../../../storage.k8s.io/v1/VolumeAttributesClass/" in gone.links


def test_the_switch_stays_on_the_type(site: Site) -> None:
    page = site.page("1.35/resource.k8s.io/v1/ResourceClaim/")
    for release in ("1.33", "1.34", "1.35"):
        address = f"../../../../{release}/resource.k8s.io/v1/ResourceClaim/"
        assert address in page.links
    assert 'class="absent" title="Not in 1.33"' in page.text
    listing = site.page("1.35/apps/v1/")
    assert "../../../1.33/apps/v1/" in listing.links
    new = site.page("1.35/scheduling.k8s.io/v1alpha1/")
    assert "../../../1.34/" in new.links
    assert "../../../1.34/scheduling.k8s.io/v1alpha1/" not in new.links


def test_the_newest_release_is_news(site: Site) -> None:
    page = site.page("")
    assert "New in 1.35" in page.text
    assert "1.35/scheduling.k8s.io/v1alpha1/Workload/" in page.links
    assert "diff/1.34-1.35.html" in page.links


def test_reports_lead_to_what_they_tell_of(site: Site) -> None:
    """A type and a field in the newer release, or in the last that had it; a kind in
    the last."""
    links = site.page("diff/1.34-1.35.html").links
    assert "../1.35/core/v1/NodeStatus/" in links
    assert "../1.35/core/v1/NodeStatus/#declaredFeatures" in links
    assert "../1.34/storagemigration.k8s.io/v1alpha1/StorageVersionMigration/" in links
    links = site.page("diff/history.html").links
    assert "../1.35/apps/v1/Deployment/" in links
    assert "../1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/" in links


# --- what a page weighs


def test_a_pods_page_is_light(folder: Path) -> None:
    """With all that the page loads before somebody searches."""
    needs = ["theme.css", "site.css", "boot.js", "disk.js", "site.js", "icon.svg"]
    page = (folder / "1.35/core/v1/Pod/index.html").stat().st_size
    size = page + sum((folder / "assets" / name).stat().st_size for name in needs)
    assert size < 300 * KIB


def test_the_search_is_light(folder: Path) -> None:
    needs = ["assets/minisearch.js", "assets/find.js", "1.35/search.js"]
    assert sum((folder / name).stat().st_size for name in needs) < 1_500_000


# --- no page runs or loads what is not the site's


def test_pages_hold_no_script_and_no_style(site: Site) -> None:
    """The policy forbids both; the pages must not need them."""
    for page in site.pages.values():
        assert "script-src 'self'; style-src 'self'" in page.text, page.path
        assert " style=" not in page.shown, page.path
        assert "<style" not in page.text, page.path
        assert page.text.count("<script") == page.text.count("<script src="), page.path


TARGET = load_targets(None)["site"]
TAGS = {
    *("a", "article", "aside", "b", "body", "br", "button", "code", "dd", "del"),
    *("dialog", "div", "dl", "dt", "em", "fieldset", "footer", "form", "h1", "h2"),
    *("h3", "h4", "head", "header", "html", "i", "img", "input", "ins", "kbd"),
    *("label", "legend", "li", "link", "main", "meta", "nav", "ol", "option"),
    *("output", "p", "pre", "script", "section", "select", "span", "strong"),
    *("summary", "details", "table", "tbody", "td", "template", "th", "thead"),
    *("title", "tr", "ul", "wbr"),
}
HOSTILE = [
    "<script>window.pwned=1</script>",
    "</template></code></pre><img src=x onerror=window.pwned=1>",
    '"><a href="javascript:window.pwned=1">x</a>',
    "[click](javascript:window.pwned=1) <javascript:window.pwned=1>",
    "{{ 7 * 7 }} {% raw %} ${window.pwned=1} `${window.pwned=1}`",
    "url(javascript:1) </style><style>*{display:none}</style>",
    "- <b>\n- *x*\n\n\t</pre><svg onload=window.pwned=1>",
    "</script><!-- --> ]]> &lt;b&gt; \u2028 \u202e",
]


def hostile_definitions() -> dict[str, Any]:
    """A kind that has hostile text wherever a document can have text."""
    fields: dict[str, Any] = {
        f"field{number}": {
            "type": "string",
            "description": text,
            "default": text,
            "enum": [text, "b"],
            "format": text,
            "pattern": text,
            "x-kubernetes-list-map-keys": [text],
            "x-kubernetes-patch-merge-key": text,
            "x-kubernetes-validations": [{"rule": text, "message": text}],
        }
        for number, text in enumerate(HOSTILE)
    }
    named = {text: {"type": "string", "description": "Its name."} for text in HOSTILE}
    kind = {"group": HOSTILE[2], "version": HOSTILE[0], "kind": "Pod"}
    return {
        POD: {
            "description": " ".join(HOSTILE),
            "type": "object",
            "properties": {**fields, "part": {"$ref": "#/definitions/x.v1.Part"}},
            "required": ["field0"],
            "x-kubernetes-group-version-kind": [kind],
        },
        "x.v1.Part": {
            "description": HOSTILE[0],
            "type": "object",
            "properties": named,
        },
    }


def test_hostile_text_stays_text(run: Command) -> None:
    """Wherever it stands: no tag, no attribute and no link is made of it."""
    spec = run.folder / "hostile.json"
    spec.write_text(json.dumps(document(hostile_definitions())))
    done = run("render", "evil", "--spec", str(spec), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    allowed = {
        *("charset", "class", "content", "data-release", "data-root", "data-type"),
        *("href", "http-equiv", "id", "lang", "name", "rel", "src", "defer", "title"),
        *("aria-label", "aria-labelledby", "aria-current", "aria-expanded", "role"),
        *("type", "tabindex", "alt", "width", "height", "value", "checked", "for"),
        *("aria-controls", "aria-autocomplete", "aria-hidden", "placeholder", "start"),
        *("autocomplete", "autocapitalize", "spellcheck", "enterkeyhint", "data-fill"),
        *("data-switch", "aria-busy"),
    }
    pages = Site(run.folder / "out" / "site").pages.values()
    for page in pages:
        for tag, attributes in Tags(page.text).tags:
            assert tag not in ("svg", "iframe", "style", "object", "embed"), page.path
            assert set(attributes) <= allowed, (page.path, tag, attributes)
            for name in ("href", "src"):
                address = attributes.get(name) or ""
                scheme = address.partition(":")[0] if ":" in address else ""
                assert scheme in ("", "http", "https"), (page.path, address)
    pod = next(page for page in pages if page.path == "evil/core/v1/Pod/")
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in pod.text


def listed(*fields: str) -> dict[str, Any]:
    """A document whose only type is a list of objects that have no name."""
    return document({"v1.A": array({name: {"type": "string"} for name in fields})})


def array(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"properties": properties}}


@settings(max_examples=100)
@given(documents(VALID_NAMES), documents(VALID_NAMES))
# A field that comes to the objects in a list is told of where the list is.
@example(listed(), listed("new"))
@example(listed("list"), document({"v1.A": array({"list": array({"new": {}})})}))
def test_every_document_has_a_whole_site(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    """Or is refused: no link leads nowhere, and there is no tag but the site's own."""
    sources = [
        Source(name, "made-up", json.dumps(each).encode())
        for name, each in (("1.1", before), ("1.2", after))
    ]
    try:
        files = list(print_all_files([parse(each) for each in sources], TARGET))
    except KubestencilError as error:
        assert error.what
        return
    site = Site.printed({file.path: file.data for file in files})
    for page in site.pages.values():
        assert site.broken(page) == []
        tags = {tag for tag, _ in Tags(page.text).tags}
        assert tags <= TAGS, page.path


# --- what is printed again


def specs_of(folder: Path, releases: tuple[str, ...]) -> dict[str, Any]:
    """Documents of releases in ``folder``, as a user may keep them."""
    folder.mkdir()
    found = {}
    for name in releases:
        found[name] = dict(load_release(locate(name, None)).document)
        (folder / f"{name}.json").write_text(json.dumps(found[name]))
    return found


def times(folder: Path, release: str) -> dict[str, int]:
    files = (folder / release).rglob("*.html")
    return {path.as_posix(): path.stat().st_mtime_ns for path in files}


def test_a_change_to_a_release_rebuilds_that_release(run: Command) -> None:
    """Other words are told in its own pages; a new field in those of the others too."""
    found = specs_of(run.folder / "specs", ("1.34", "1.35"))
    call = ("render", "1.34", "1.35", "-t", "site", "--specs", "specs", "-o", "out")
    assert run(*call).returncode == 0
    site = run.folder / "out" / "site"
    before = times(site, "1.34"), times(site, "1.35")

    path = run.folder / "specs" / "1.34.json"
    document = found["1.34"]
    container = document["definitions"]["io.k8s.api.core.v1.Container"]
    container["properties"]["image"]["description"] = "Which image it is."
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    assert times(site, "1.35") == before[1]
    written = {
        path for path, time in times(site, "1.34").items() if time != before[0][path]
    }
    assert f"{site.as_posix()}/1.34/core/v1/Container/index.html" in written
    assert f"{site.as_posix()}/1.34/apps/v1/index.html" not in written

    container["properties"]["mood"] = {"type": "string"}
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    page = Site(site).page("1.34/core/v1/Container/")
    assert "gone in 1.35" in page.text
    assert "unchanged" in run(*call).stdout


FACTS = """
import hashlib
from kubestencil.schema.load import load_release
from kubestencil.source import locate
from kubestencil.engine import load_targets
from kubestencil.targets import load_multi_release_view
names = ("1.33", "1.34")
target = load_targets(None)["site"]
view = load_multi_release_view(target)
models = [load_release(locate(name, None)) for name in names]
facts = [part.context() for part in view.divide(names, lambda: models, target)]
print(hashlib.sha256(repr(facts).encode()).hexdigest())
"""


def test_the_same_documents_tell_the_same(tmp_path: Path) -> None:
    """In any process: else every part would be printed again whatever changed."""
    told = {
        subprocess.run(
            [sys.executable, "-c", FACTS],
            env={**command(tmp_path).environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_releases_that_are_no_longer_printed_leave(run: Command) -> None:
    call = ("render", "-t", "site", "-o", "out")
    assert run(*call, "1.34", "1.35").returncode == 0
    drifted = run(*call, "1.35", "--check")
    assert drifted.returncode == 1
    assert "left over: out/site/1.34/" in drifted.stdout
    assert run(*call, "1.35").returncode == 0
    site = run.folder / "out" / "site"
    assert not (site / "1.34").exists()
    assert not (site / "diff").exists()
    assert run(*call, "1.35", "--check").returncode == 0
    assert Site(site).broken(Site(site).page("")) == []


# --- people's own


def test_title_logo_footer_theme_and_pages_are_options(run: Command) -> None:
    (run.folder / "logo.png").write_bytes(b"\x89PNG")
    (run.folder / "ours.css").write_text(":root { --link: #070 }")
    (run.folder / "docs" / "how").mkdir(parents=True)
    (run.folder / "docs" / "about.md").write_text(
        "# About <us>\n\nSee [how](how/start.md).\n\n<script>alert(1)</script>\n"
    )
    (run.folder / "docs" / "how" / "start.md").write_text("# How to start\n")
    settings = {
        "title": "Our <API>",
        "footer": "Kept by us & them",
        "logo": "logo.png",
        "theme": "ours.css",
        "pages": "docs",
        "url": "https://example.com/k8s",
    }
    sets = [f"--set=site.{name}={value}" for name, value in settings.items()]
    call = ("render", "1.35", "-t", "site", "-o", "out", *sets)
    assert run(*call).returncode == 0
    folder = run.folder / "out" / "site"
    site = Site(folder)
    page = site.page("1.35/apps/v1/Deployment/")
    assert "Our &lt;API&gt;" in page.text
    assert "Kept by us &amp; them" in page.text
    assert "../../../../assets/logo.png" in page.loads
    assert (folder / "assets/theme.css").read_text().endswith("--link: #070 }")
    about = site.page("pages/about/")
    assert "<script>alert" not in about.text
    assert "../how/start/" in about.links
    assert "pages/how/start/" in site.page("").links
    sitemap = (folder / "sitemap.xml").read_text()
    assert "<loc>https://example.com/k8s/pages/about/</loc>" in sitemap
    assert "/k8s/1.35/" in site.page("404.html").links
    assert {
        path
        for path in site.pages
        if path != "404.html" and site.broken(site.pages[path])
    } == set()
    (run.folder / "docs" / "about.md").write_text("# Other\n")
    assert run(*call, "--check").returncode == 1


def test_examples_go_by_the_options_of_what_they_need(run: Command) -> None:
    """The package that they import is the one that is printed."""
    call = ("render", "1.35", "-t", "site", "-o", "out", "--set", "python.package=ours")
    assert run(*call).returncode == 0
    page = run.folder / "out" / "site" / "1.35" / "core" / "v1" / "Pod" / "index.html"
    assert "from ours import V1" in page.read_text()
    assert run(*call[:-2], "--check").returncode == 1
    wrong = run(*call[:-1], "python.package=not-a-name")
    assert (wrong.returncode, "cannot name a package" in wrong.stderr) == (1, True)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("logo=nothing.png", "must be a file that ends in"),
        ("theme=specs", "must be a file that ends in .css"),
        ("pages=nothing", "is not a folder"),
        ("url=ftp://example.com", "must be the address of the site"),
    ],
)
def test_wrong_options_are_refused(run: Command, setting: str, said: str) -> None:
    done = run("render", "1.35", "-t", "site", "-o", "out", f"--set=site.{setting}")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (run.folder / "out").exists()


def test_a_template_of_ones_own_shadows_one(run: Command) -> None:
    mine = run.folder / "mine" / "site"
    mine.mkdir(parents=True)
    (mine / "footer.html.j2").write_text("<footer>{{ release }} of ours</footer>\n")
    call = ("render", "1.35", "-t", "site", "-o", "out", "--templates", "mine")
    assert run(*call).returncode == 0
    site = Site(run.folder / "out" / "site")
    assert "<footer>1.35 of ours</footer>" in site.page("1.35/core/v1/Pod/").text


def test_objects_without_a_name_unfold_as_well(run: Command) -> None:
    """CustomResourceDefinitions in a cluster's document have their fields inside."""
    inner = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "description": "How many.", "default": 3},
            "name": {"type": "string", "default": "", "enum": ["", "a"]},
            "keys": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"type": "string"}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["id"],
                "x-kubernetes-patch-strategy": "merge",
            },
        },
        "required": ["size"],
    }
    spec = {"type": "object", "properties": {"store": inner}, "description": "S."}
    definitions = {
        "com.example.v1.Shop": {
            "type": "object",
            "properties": {"spec": spec},
            "x-kubernetes-group-version-kind": [
                {"group": "example.com", "version": "v1", "kind": "Shop"}
            ],
        }
    }
    path = run.folder / "crd.json"
    path.write_text(json.dumps(document(definitions)))
    done = run("render", "mine", "--spec", str(path), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    page = Site(run.folder / "out" / "site").page("mine/example.com/v1/Shop/")
    assert "spec.store.size" in page.ids
    assert "#spec.store.size" in page.links
    text = " ".join("".join(Tags(page.text).text).split())
    assert "size integer required" in text
    assert "default3" in text and 'default""one of""a' in text
    assert "keys []map[string]string" in text
    assert "list typemap" in text and "map keysid" in text
    assert "patch strategymerge" in text


def test_the_site_is_the_same_every_time(run: Command) -> None:
    for name in ("a", "b"):
        jobs = "1" if name == "a" else "2"
        done = run("render", "1.35", "-t", "site", "-o", name, "--jobs", jobs)
        assert done.returncode == 0
    assert visible(run.folder / "a") == visible(run.folder / "b")
    shutil.rmtree(run.folder / "a")


def test_a_release_cannot_have_the_name_of_the_site(run: Command, small: Path) -> None:
    done = run("render", "site", "--spec", str(small), "-t", "markdown")
    assert done.returncode == 2
    assert "a target is" in done.stderr
