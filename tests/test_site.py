"""The docs site: links work, pages show their history, are small, and have no inline
scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Command, make_command, make_document
from tests.site_pages import Site, Tags

META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three releases, from the embedded documents."""
    folder = tmp_path_factory.mktemp("site")
    done = make_command(folder)("render", "1.33..1.35", "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    return folder / "out" / "site"


@pytest.fixture(scope="module")
def site(folder: Path) -> Site:
    return Site(folder)


# --- addresses and links


def test_no_link_is_broken(site: Site) -> None:
    """Including the links of fields that can be expanded, and to other releases."""
    assert len(site.pages) > 2500
    broken = {
        page.path: links
        for page in site.pages.values()
        if (links := site.broken_links(page))
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
def test_addresses_are_stable(site: Site, address: str) -> None:
    assert address in site.pages


def test_fields_have_anchors_at_any_depth(site: Site) -> None:
    page = site.page("1.35/apps/v1/Deployment/")
    assert page.has("spec.template.spec.containers")
    path = "spec.template.spec.containers.livenessProbe.httpGet.httpHeaders.value"
    assert page.has(path)
    assert not page.has("spec.template.spec.container")


def test_ids_are_unique(site: Site) -> None:
    """A field's name is an id, too: HTTPGetAction has a field called scheme."""
    for page in site.pages.values():
        ids = re.findall(r' id="([^"]*)"', page.visible_text)
        assert len(ids) == len(set(ids)), page.path


def test_a_type_links_to_where_it_is_used(site: Site) -> None:
    """The resources that it is part of, and the types that refer to it."""
    page = site.page("1.35/core/v1/Container/")
    assert ">Used in resources</h2>" in page.text
    assert "../../../apps/v1/Deployment/#spec.template.spec.containers" in page.links
    assert ">Referenced by</h2>" in page.text
    assert "../../../core/v1/PodSpec/#containers" in page.links


def test_a_kind_shows_what_changed_inside_of_it(site: Site) -> None:
    text = site.page("1.35/apps/v1/Deployment/").text.replace("<wbr>", "")
    assert "<a>spec.template.spec.workloadRef</a> field added" in text
    # The older release does not have the field.
    text = site.page("1.34/apps/v1/Deployment/").text.replace("<wbr>", "")
    assert "<code>spec.template.spec.workloadRef</code> field added" in text


def test_merge_markers_are_no_badges(site: Site) -> None:
    """They are in the history of the type: 1.35 says how a Node's features merge."""
    badges = {
        detail
        for page in site.pages.values()
        for detail in re.findall(r"<small>([^<]* in 1\.[^<]*)</small>", page.text)
    }
    assert badges
    assert not [
        detail for detail in badges if "list type" in detail or "merge" in detail
    ]


def test_stages_are_told_with_their_feature_gate(site: Site) -> None:
    """Also where no difference shows them: 1.35 enabled a gate of a field of 1.34."""
    stages = "alpha (off) → beta (on), gate ContainerRestartRules"
    container = site.page("1.35/core/v1/Container/").text
    rules = container.partition('id="restartPolicyRules"')[2]
    history = "<dd>1.34 alpha<dd>1.35 beta<"
    assert f"<dt>feature gate ContainerRestartRules{history}" in rules
    pod = site.page("1.35/core/v1/Pod/").text.replace("<wbr>", "")
    assert f"<a>spec.containers.restartPolicyRules</a> stage changed ({stages})" in pod
    assert "field added (alpha (off), gate GenericWorkload)" in pod
    deprecated = site.page("1.35/resource.k8s.io/v1beta1/DeviceClass/").text
    assert ">warning</span> <span>kind deprecated" in deprecated


# --- history


def field_line(site: Site, address: str, field: str) -> str:
    """The HTML of a field."""
    text = site.page(address).text
    return text.partition(f'<li id="{field}">')[2].partition("<li id=")[0]


def test_types_and_fields_show_when_they_were_added_and_removed(site: Site) -> None:
    """1.34 made the DRA API stable, and added restart policy rules to containers."""
    container = "1.35/core/v1/Container/"
    assert "new in 1.34" in field_line(site, container, "restartPolicyRules")
    assert "new in" not in field_line(site, container, "name")
    claim = site.page("1.35/resource.k8s.io/v1/ResourceClaim/").text
    assert "<small>new in 1.34</small></h1>" in claim
    removed = site.page("1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "Removed in 1.35" in removed.text
    assert "../../../../1.35/storage.k8s.io/v1/VolumeAttributesClass/" in removed.links


def test_the_page_of_a_removed_type_links_to_replacements(site: Site) -> None:
    removed = site.page("1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "was available in 1.33 to 1.34" in removed.text
    assert "../../../storage.k8s.io/v1/VolumeAttributesClass/" in removed.links


def test_release_links_lead_to_the_same_type(site: Site) -> None:
    page = site.page("1.35/resource.k8s.io/v1/ResourceClaim/")
    for release, version in (("1.33", "v1beta2"), ("1.34", "v1"), ("1.35", "v1")):
        address = f"../../../../{release}/resource.k8s.io/{version}/ResourceClaim/"
        assert address in page.links
    assert 'class="absent" title="Not in 1.33"' in page.text
    assert "1.33/resource.k8s.io/v1/ResourceClaim/" not in site.pages
    removed = site.page("1.33/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    address = "../../../../1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/"
    assert address in removed.links
    listing = site.page("1.35/apps/v1/")
    assert "../../../1.33/apps/v1/" in listing.links
    new = site.page("1.35/scheduling.k8s.io/v1alpha1/")
    assert "../../../1.34/" in new.links
    assert "../../../1.34/scheduling.k8s.io/v1alpha1/" not in new.links


def test_the_start_page_counts_what_the_report_does(site: Site) -> None:
    counted = re.compile(r"<b[^>]*>(\d+)</b> (stop|behave differently|deprecated)\b")
    counts = counted.findall(site.page("1.35/").text)
    assert len(counts) == 3
    assert counts == counted.findall(site.page("diff/1.34-1.35.html").text)[:3]


def test_the_start_page_shows_what_is_new(site: Site) -> None:
    page = site.page("")
    assert "New in 1.35" in page.text
    assert "1.35/scheduling.k8s.io/v1alpha1/Workload/" in page.links
    assert "diff/1.34-1.35.html" in page.links


def test_reports_link_to_types_and_fields(site: Site) -> None:
    """To the newer release, or the last that has the type; the history of kinds to the
    last release."""
    links = site.page("diff/1.34-1.35.html").links
    assert "../1.35/core/v1/NodeStatus/" in links
    assert "../1.35/core/v1/NodeStatus/#declaredFeatures" in links
    assert "../1.34/storagemigration.k8s.io/v1alpha1/StorageVersionMigration/" in links
    links = site.page("diff/history.html").links
    assert "../1.35/apps/v1/Deployment/" in links
    assert "../1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/" in links


# --- size


def test_the_page_of_a_pod_is_small(folder: Path, site: Site) -> None:
    """With everything that it loads before the search is used."""
    address = "1.35/core/v1/Pod/"
    assets = {href.removeprefix("../" * 4) for href in site.page(address).assets}
    assert len(assets) == 8
    assets |= {f"{address}index.html", "1.35/navigation.js"}
    assert sum((folder / name).stat().st_size for name in assets) < 300_000


def test_scripts_and_styles_come_without_comments(folder: Path) -> None:
    sources = Path(__file__).parent.parent / "templates" / "site" / "assets"
    for source in sources.glob("*.js"):
        lines = (folder / "assets" / source.name).read_text("utf-8").splitlines()
        code = [line.strip() for line in source.read_text("utf-8").splitlines()]
        assert [line for line in lines if line.startswith((" ", "//", "/*"))] == []
        # All of the code, line by line, but for comments at the end of lines.
        kept = [
            line for line in code if line and not line.startswith(("//", "/*", "*"))
        ]
        assert [line.split(" // ")[0] for line in kept] == lines
    style = (folder / "assets" / "site.css").read_text("utf-8")
    assert "/*" not in style
    sign = '"\u203a"'  # a fold, without a text for readers of screens
    assert (
        f'.fold::before{{content:{sign};content:{sign} / "";display:inline-block'
        in style
    )


def test_the_search_is_small(folder: Path) -> None:
    """What the first results need, and what comes after them."""
    names = ["assets/entries.js", "assets/rank.js", "assets/find.js", "1.35/search.js"]
    assert sum((folder / name).stat().st_size for name in names) < 200_000
    names = ["1.35/search-texts.js", "assets/other-releases.js"]
    assert sum((folder / name).stat().st_size for name in names) < 1_000_000


# --- security


def test_pages_have_no_inline_scripts_and_styles(site: Site) -> None:
    """The content security policy forbids both."""
    for page in site.pages.values():
        assert "script-src 'self'; style-src 'self'" in page.text, page.path
        assert " style=" not in page.visible_text, page.path
        assert "<style" not in page.text, page.path
        assert page.text.count("<script") == page.text.count("<script src="), page.path


# --- custom resources


def test_inline_objects_show_their_fields(run: Command) -> None:
    """Those of custom resources are types of their own; other documents have them."""
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
        "v1.Shop": {
            "type": "object",
            "properties": {"spec": spec},
            "x-kubernetes-group-version-kind": [
                {"group": "example.com", "version": "v1", "kind": "Shop"}
            ],
        }
    }
    path = run.folder / "crd.json"
    path.write_text(json.dumps(make_document(definitions)))
    done = run("render", "mine", "--spec", str(path), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    page = Site(run.folder / "out" / "site").page("mine/example.com/unversioned/Shop/")
    assert "spec.store.size" in page.ids
    assert "#spec.store.size" in page.links
    text = " ".join("".join(Tags(page.text).text).split())
    assert "size integer required" in text
    assert "Default 3" in text and '"" or a' in text and 'default ""' in text
    assert "keys list of map of string" in text
    assert "list typemap" in text and "list map keysid" in text
    assert "patch strategymerge" in text


# --- operations, deprecation, and what only descriptions state


def test_a_deprecated_kind_names_its_replacement(site: Site) -> None:
    text = site.page("1.35/core/v1/Endpoints/").text.replace("<wbr>", "")
    link = "../../../discovery.k8s.io/v1/EndpointSlice/"
    assert '<p class="notice">Deprecated since 1.33. Use ' in text
    assert f'<a href="{link}">discovery.k8s.io/v1 EndpointSlice</a> instead.' in text
    assert "Deprecated since" not in site.page("1.35/core/v1/Pod/").text


def test_a_kind_links_to_its_operations_and_its_concept(site: Site) -> None:
    text = site.page("1.35/apps/v1/Deployment/").text
    assert (
        "https://kubernetes.io/docs/concepts/workloads/controllers/deployment/" in text
    )
    assert (
        'href="operations/"' in text and "<code>kubectl get deployments</code>" in text
    )
    calls = site.page("1.35/apps/v1/Deployment/operations/").text
    assert "<b>kubectl</b> scale deployment web <b>--replicas</b>=3" in calls
    assert "<code>fieldManager</code>" in calls


def test_descriptions_state_facts(site: Site) -> None:
    text = site.page("1.35/admissionregistration.k8s.io/v1/ParamRef/").text
    assert "<code>Allow</code> or <code>Deny</code>" in text
    quantity = site.page("1.35/resource/unversioned/Quantity/").text
    assert "half of one" in quantity


def test_what_the_server_knows_is_shown(site: Site) -> None:
    text = site.page("1.35/core/v1/Container/").text
    values = "One of <code>Always</code>, <code>IfNotPresent</code>, <code>Never</code>"
    assert values in text
    # The server knows what the description states, too, which is said once.
    text = site.page("1.35/core/v1/PodOS/").text
    assert text.count("<code>linux</code> or <code>windows</code>") == 1
