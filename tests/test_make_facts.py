"""The command that makes the tables of facts, on sources of a small Kubernetes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.data_files import data_file
from kubestencil.errors import KubestencilError, SourceError
from kubestencil.schema.knowledge import snapshots
from kubestencil.schema.knowledge.components import flags as known_flags
from kubestencil.schema.knowledge.gates import GateRow
from kubestencil.schema.types import group_version_kind
from kubestencil.source.releases import ReleaseRange
from specs.make import (
    corrections,
    default_server,
    flags,
    gates,
    lifecycle,
    metrics,
    parameters,
    program,
    resources,
    volume_plugins,
)
from specs.make import facts as specs_facts
from specs.make.checkouts import Checkout
from specs.make.facts import changes_of, write_facts
from specs.make.gated import tables as gated_tables
from specs.make.gated.answers import Gated
from specs.make.values.declared import declared
from specs.make.values.immutable_fields import Reply, immutable_fields
from tests.small_kubernetes import (
    LIFECYCLE,
    PROGRAMS,
    discovery,
    make_checkouts,
    make_patch,
)

_OUTPUT = program._output


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What programs of a small Kubernetes would print, and one gate that is known."""
    monkeypatch.setattr(
        program,
        "_output",
        lambda checkout, name: PROGRAMS.get(name) or _OUTPUT(checkout, name),
    )
    on = GateRow(ReleaseRange("1.32"), "Gadgets", "beta", "on", False, ())
    for module in (default_server, gates):
        monkeypatch.setattr(module, "gate_rows", lambda: iter([on]))


@pytest.fixture
def checkouts(tmp_path: Path) -> list[Checkout]:
    return make_checkouts(tmp_path)


_LIST = """
- name: Gadgets
  versionedSpecs:
  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.29"}
  - {default: true, lockToDefault: false, preRelease: Beta, version: "1.32"}
  - {default: true, lockToDefault: false, preRelease: Beta, version: "1.32", minCompatibilityVersion: "1.32"}
- name: Later
  versionedSpecs:
  - {default: true, lockToDefault: true, preRelease: "", version: "1.33"}
"""


def _ranged(table: Any, checkouts: Iterable[Checkout]) -> list[tuple[str, ...]]:
    """The rows that a table has of releases, with these, by what they are about."""
    lines = {
        checkout.release: dict.fromkeys(map("\t".join, table.make_rows(checkout)))
        for checkout in checkouts
    }
    rows = (
        (str(found), *line.split("\t"))
        for found, line in snapshots.ranged(changes_of(lines))
    )
    return sorted(rows, key=lambda row: ("/" in row[1], row[1:3], row[0]))


def _lifecycle(checkouts: Iterable[Checkout]) -> list[tuple[str, ...]]:
    """The rows of the newest of some releases."""
    rows: list[tuple[str, ...]] = []
    for checkout in checkouts:
        rows = sorted(lifecycle.make_rows(checkout, rows))
    return rows


def test_lifecycle_joins_what_documents_have_and_what_upstream_plans(
    checkouts: list[Checkout],
) -> None:
    group = "shop.example.com"
    assert ["|".join(row) for row in _lifecycle(checkouts)] == [
        f"{group}/v1|Gadget|1.31|||1.32..|",
        f"{group}/v1|Widget|1.31|||1.31..|",
        # The document of 1.32 has no such kind, though 1.34 was planned.
        f"{group}/v1beta1|Widget|1.30|1.31|1.32||{group}/v1 Widget",
        "v1|Pod|1.30|||1.30..|",
    ]


def test_a_planned_removal_is_kept_while_the_kind_is_there(
    checkouts: list[Checkout],
) -> None:
    planned = (
        "shop.example.com/v1beta1|Widget|1.30|1.31|1.34||shop.example.com/v1 Widget"
    )
    assert planned in ["|".join(row) for row in _lifecycle(checkouts[:2])]


def test_a_plan_that_upstream_gives_up_leaves_the_replacement(
    checkouts: list[Checkout],
) -> None:
    rows = _lifecycle(checkouts[:2])
    path = (
        checkouts[1].module("api") / "shop/v1beta1/zz_generated.prerelease-lifecycle.go"
    )
    deprecated = LIFECYCLE.partition("func (in *Widget) APILifecycleReplacement")[0]
    path.write_text(deprecated)
    (row,) = (
        row for row in lifecycle.make_rows(checkouts[1], rows) if "v1beta1" in row[0]
    )
    assert row[3:] == ("1.31", "", "", "shop.example.com/v1 Widget")


def test_resources_of_a_beta_version_can_be_served_by_default(tmp_path: Path) -> None:
    legacy = (
        'ret.EnableResources(shopv1beta1.SchemeGroupVersion.WithResource("widgets"))'
    )
    rows = _lifecycle(make_checkouts(tmp_path, legacy=legacy))
    assert [row[5] for row in rows if row[0].endswith("v1beta1")] == ["1.30..1.31"]


def test_resources_are_ranges_of_releases(checkouts: list[Checkout]) -> None:
    group = "shop.example.com"
    rows = _ranged(resources, checkouts)
    assert ["|".join(row) for row in rows] == [
        "1.30..|v1|pods|Pod|namespaced|get|||Name",
        "1.30..|v1|pods/status|Pod|namespaced|update|||",
        f"1.31..|{group}/v1|gadgets|Gadget|namespaced|get|||Name; Created At:date",
        f"1.31..|{group}/v1|gadgets/status|Gadget|namespaced|update|||",
        f"1.31..|{group}/v1|widgets|Widget|namespaced|get|wd|all|Name; Parts:integer; Paint (outside)/1",
        f"1.31..|{group}/v1|widgets/status|Widget|namespaced|update|||",
        f"1.30..1.31|{group}/v1beta1|widgets|Widget|namespaced|get|wd|all|Name; Parts:integer; Paint (outside)/1",
        f"1.30..1.31|{group}/v1beta1|widgets/status|Widget|namespaced|update|||",
    ]


def test_parameters_are_those_of_an_action_or_of_a_resource(
    checkouts: list[Checkout],
) -> None:
    rows = _ranged(parameters, checkouts)
    assert ["|".join(row) for row in rows] == [
        "1.30..|get||pretty|string",
        "1.32..|put|pods/status|force|boolean",
    ]


def test_gates_of_a_minor_version_are_those_that_components_register(
    checkouts: list[Checkout],
) -> None:
    rows = _ranged(gates, [checkouts[2]])
    assert ["|".join(row) for row in rows] == [
        "1.32..|Gadgets|beta|on||kube-apiserver",
        "1.32..|Later|alpha|off||",
    ]


_OF_CLIENT = """
const (
	OfClient Feature = "OfClient"
	Later Feature = "LaterOfClient"
)

var known = map[Feature]VersionedSpecs{
	OfClient: {
		{Version: version.MustParse("1.30"), Default: false, PreRelease: Alpha},
		{Version: version.MustParse("1.32"), Default: true, PreRelease: GA, LockToDefault: true},
	},
	Later: {
		{Version: version.MustParse("1.33"), Default: true, PreRelease: Beta},
	},
}
"""


def test_gates_of_a_patch_are_those_of_the_list_of_upstream(
    checkouts: list[Checkout],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those that no list has stay, and what needs compatibility with the minor version
    itself is not what a component has by default."""
    folder = Path("test/compatibility_lifecycle/reference")
    lists = {
        checkouts[2]: _LIST,
        make_patch(checkouts[2]): _LIST.replace("true", "false"),
    }
    for checkout, text in lists.items():
        path = checkout.module("kubernetes") / folder / "versioned_feature_list.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    known = [
        GateRow(ReleaseRange("1.32"), name, "beta", "on", False, ("kubeadm",))
        for name in ("Gadgets", "OfKubeadm")
    ]
    monkeypatch.setattr(gates, "gate_rows", lambda: iter(known))
    source = list(lists)[1].module("client-go") / "features/known_features.go"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(_OF_CLIENT)
    assert ["|".join(row) for row in gates.make_rows(list(lists)[1])] == [
        "Gadgets|beta|off||kube-apiserver kubeadm", "OfClient|ga|on|locked|",
        "OfKubeadm|beta|on||kubeadm",
    ]  # fmt: skip
    assert not capsys.readouterr().err
    # What a program says otherwise than the list is reported.
    (
        checkouts[2].module("kubernetes") / folder / "versioned_feature_list.yaml"
    ).write_text(_LIST.replace("Beta", "GA"))
    list(gates.make_rows(checkouts[2]))
    assert "Gadgets is" in capsys.readouterr().err


def test_gated_fields_are_what_was_asked_and_markers_of_other_gates(
    checkouts: list[Checkout],
) -> None:
    package = "io.k8s.api.shop.v1"
    asked = [
        Gated(f"{package}.WidgetSpec", "width", "values", frozenset({"Gadgets"})),
        Gated(f"{package}.WidgetSpec", "weight", "field", frozenset({"Gadgets"})),
    ]
    rows = [
        row
        for row in gated_tables.make_rows(checkouts[1], asked)
        if row[0].startswith(package)
    ]
    assert sorted("|".join(row) for row in rows) == [
        f"{package}.Gadget|||Gadgets|read",
        f"{package}.WidgetSpec|origin||Gadgets|read",
        f"{package}.WidgetSpec|weight||Gadgets|asked",
        f"{package}.WidgetSpec|width|values|Gadgets|asked",
    ]


def test_a_correction_of_gated_fields_holds_in_the_release_after_it(
    checkouts: list[Checkout], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the base has of it is no source."""
    field, table = ("io.k8s.api.shop.v1.WidgetSpec", "weight", ""), "gated-fields"
    stated, meant = (
        corrections.line_of((*field, gates, "read"))
        for gates in ("Gadgets", "Gadgets Later")
    )
    rows = [
        corrections.Correction(ReleaseRange("1.31"), table, sign, line, "a reason")
        for sign, line in (("-", stated), ("+", meant))
    ]
    monkeypatch.setattr(corrections, "_corrections", lambda: rows)
    base = [(*field, "Gadgets Later", "read")]
    monkeypatch.setattr(gated_tables, "rows_of", lambda *_: iter(base))
    made = dict.fromkeys(map(corrections.line_of, gated_tables.make_rows(checkouts[2])))
    lines = corrections.corrected(table, "1.32", made)
    assert meant in lines and stated not in lines


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of facts."""
    (tmp_path / "specs/facts").mkdir(parents=True)
    for module in (snapshots, specs_facts):
        monkeypatch.setattr(module, "data_file", tmp_path.joinpath)
    snapshots.snapshots.cache_clear()
    yield tmp_path / "specs/facts"
    snapshots.snapshots.cache_clear()


def _known(release: str) -> list[str]:
    """The first cells of the rows that are known of a release."""
    return [
        line.partition("\t")[0]
        for releases, line in snapshots.ranged(snapshots.differences("metrics"))
        if releases.includes(release)
    ]


def test_facts_of_a_release_are_written_without_a_change_of_those_of_others(
    facts: Path,
) -> None:
    write_facts("metrics", {"1.30": ["ax", "bx"], "1.32": ["bx", "cx"]})
    before = (facts / "1.30.tsv").read_bytes()
    write_facts("metrics", {"1.31": ["ax", "dx"]})
    assert (facts / "1.30.tsv").read_bytes() == before
    assert {name: _known(name) for name in ("1.30", "1.31", "1.32", "1.33")} == {
        "1.30": ["a", "b"], "1.31": ["a", "d"], "1.32": ["b", "c"], "1.33": ["b", "c"],
    }  # fmt: skip


def test_facts_of_patches_and_pre_releases_are_those_of_no_other_minor_version(
    facts: Path,
) -> None:
    write_facts("metrics", {"1.30": ["ax", "bx"], "1.31": ["bx"]})
    write_facts("metrics", {"1.30.4": ["ax"], "1.31.0-beta.0": ["cx"]})
    assert "+\tb" not in (facts / "1.31.tsv").read_text()
    expected = {
        "1.30.3": "ab", "1.30.4": "a", "1.30.9": "a", "1.31.0-beta.0": "c",
        "1.31": "b", "1.31.2": "b", "1.32": "b",
    }  # fmt: skip
    assert {name: "".join(_known(name)) for name in expected} == expected


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=6))
def test_all_that_is_written_of_releases_is_known_of_them(
    of_releases: list[set[str]],
) -> None:
    lines = {
        f"1.{30 + number}": dict.fromkeys(sorted(rows))
        for number, rows in enumerate(of_releases)
    }
    found = list(snapshots.ranged(changes_of(lines)))
    for release, rows in lines.items():
        known = [line for releases, line in found if releases.includes(release)]
        assert sorted(known) == list(rows)


def test_a_missing_module_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match=r"no module k8s.io/kubernetes of 1.99"
    ) as info:
        lifecycle.make_rows(Checkout(tmp_path, "1.99"), ())
    assert info.value.hint == "go mod download k8s.io/kubernetes@v1.99.0"


def test_a_singular_of_another_form_is_refused(checkouts: list[Checkout]) -> None:
    path = checkouts[0].module("kubernetes") / "api/discovery"
    name = "apis__shop.example.com__v1beta1"
    text = json.dumps(discovery("1.30")[name]).replace('"widget"', '"wgt"')
    (path / f"{name}.json").write_text(text)
    with pytest.raises(SourceError, match="widgets has the singular wgt"):
        _ranged(resources, checkouts)


def test_the_columns_of_all_facts_are_explained() -> None:
    text = data_file("specs/facts/README.md").read_text("utf-8")
    found = {
        table for each in snapshots.snapshots().values() for table in each.sections
    }
    for table in found:
        columns = text.partition(f"\n## {table}\n")[2].partition("\n## ")[0]
        counts = {
            line.count("\t") + 1
            for _, line in snapshots.ranged(snapshots.differences(table))
        }
        assert counts == {columns.count("\n- **")}, table


def test_volume_plugins_are_read_from_warnings_and_continue(tmp_path: Path) -> None:
    folder = tmp_path / "k8s.io/kubernetes@v1.32.0/pkg/api"
    for name, text in (
        (
            "pod/warnings.go",
            'Sprintf("%s: deprecated in v1.11, and disabled by default in v1.33+", '
            'path.Index(i).Child("gitRepo"))\n'
            'Sprintf("%s: deprecated in v1.11", path.Index(i).Child("gitRepo"))\n',
        ),
        (
            "persistentvolume/util.go",
            'Sprintf("%s: deprecated in v1.22, non-functional in v1.25+", '
            'path.Child("spec", "storageOS").Child("storageOS"))\n',
        ),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    known = ("portworxVolume", "", "1.31", "", "CSIMigrationPortworx")
    rows = volume_plugins.make_rows(Checkout(tmp_path, "1.32"), [known])
    by_field = {row[0]: row[1:4] for row in rows}
    assert by_field["gitRepo"] == ("1.11", "", "1.33")
    assert by_field["storageos"] == ("1.22", "", "1.25")
    assert by_field["portworxVolume"] == ("", "1.31", "")


def test_flags_have_the_field_that_they_change(checkouts: list[Checkout]) -> None:
    rows = ["|".join(row) for row in flags.make_rows(checkouts[2])]
    assert rows == [
        "kube-apiserver|anonymous-auth||bool|true|"
        "AuthenticationConfiguration.anonymous.enabled",
        "kubelet|cache-ttl|deprecated|duration|2m0s|"
        "KubeletConfiguration.authentication.webhook.cacheTTL",
        'kubelet|config||string|""|',
        # Its field has no effect.
        "kubelet|runonce|deprecated|bool|false|",
    ]


def test_flags_of_a_component_that_cannot_be_built_are_those_of_the_base(
    checkouts: list[Checkout],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    unpublished = {"kube-proxy"}

    def output(_: Checkout, name: str) -> str:
        if name in unpublished:
            raise SourceError("needs a v1.0.0, which is not published", where=name)
        return PROGRAMS[name]

    monkeypatch.setattr(program, "_output", output)
    rows = list(flags.make_rows(checkouts[2]))
    *of_proxy, unknown = (row for row in rows if row[0] == "kube-proxy")
    of_base = {name for name in known_flags("1.31") if name[0] == "kube-proxy"}
    assert {row[:2] for row in of_proxy} == of_base
    assert unknown == ("kube-proxy", *[""] * 5)
    assert (
        "left out: flags of kube-proxy: kube-proxy: needs a" in capsys.readouterr().err
    )
    unpublished.update(PROGRAMS)
    with pytest.raises(SourceError, match="needs a"):
        list(flags.make_rows(checkouts[2]))


_METRICS = """
package metrics

import "k8s.io/component-base/metrics"

const subsystem = "widgets"

var (
	parts = metrics.NewGaugeVec(
		&metrics.GaugeOpts{
			Subsystem: subsystem,
			Name: "parts", // of a widget
			Help: "Parts, }, of \\"all\\".",
			StabilityLevel: metrics.BETA,
			DeprecatedVersion: "1.30.0",
		},
		[]string{"colour"},
	)
	paint = metrics.NewCounter(&metrics.CounterOpts{Name: "paint", StabilityLevel: metrics.ALPHA})
	glue = metrics.NewCounter(&metrics.CounterOpts{Subsystem: subsystem + "_old", Name: "glue"})
	hidden = metrics.NewCounter(&metrics.CounterOpts{Name: "hidden", StabilityLevel: metrics.INTERNAL})
	dust = metrics.NewDesc(metrics.BuildFQName("", subsystem, "dust"), "Dust.", nil, nil, metrics.STABLE, "")
)
"""


def test_metrics_are_read_from_what_declares_them(checkouts: list[Checkout]) -> None:
    folder = checkouts[2].module("kubernetes") / "pkg/widgets"
    folder.mkdir(parents=True)
    (folder / "metrics.go").write_text(_METRICS)
    (folder / "metrics_test.go").write_text(_METRICS.replace("parts", "tested"))
    other = checkouts[2].module("kubernetes") / "cluster/images/monitor"
    other.mkdir(parents=True)
    (other / "monitor.go").write_text(_METRICS.replace("widgets", "monitor"))
    assert ["|".join(row) for row in metrics.make_rows(checkouts[2])] == [
        "paint|Counter|alpha|",
        "widgets_dust|Custom|stable|",
        "widgets_old_glue|Counter|alpha|",
        "widgets_parts|Gauge|beta|1.30",
    ]
    (folder / "metrics.go").write_text(
        _METRICS.replace("const subsystem", "const other")
    )
    metrics._source.cache_clear()
    with pytest.raises(SourceError, match="metric with subsystem"):
        list(metrics.make_rows(checkouts[2]))


def test_a_module_that_is_not_published_is_named(
    checkouts: list[Checkout], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that it does not need is replaced by an empty one, or another version."""
    replaced: list[str] = []

    def go_build(_: Path, folder: Path, *rest: object) -> None:
        lines = (folder / "go.mod").read_text("utf-8").splitlines()
        replaced[:] = [line for line in lines if line.startswith("replace k8s.io/a")]
        replaced[:] += [line for line in lines if line.startswith("replace sigs")]
        raise KubestencilError(
            "Go could not build it:\n  a.go:1:2: k8s.io/anew@v0.32.0: reading https://"
            "example.com: 403 Forbidden\n  a.go:1:2: sigs.k8s.io/merge/v7@v7.0.1: "
            "reading https://example.com: 403 Forbidden"
        )

    monkeypatch.setattr(program, "go_build", go_build)
    monkeypatch.setattr(program, "_FIRST", checkouts[2].release)
    monkeypatch.setattr(program, "versions", lambda _: ["v7.0.0"])
    module = checkouts[2].module("kubernetes") / "go.mod"
    module.write_text("go 1.24\nrequire (\n\tk8s.io/api v0.0.0\n)\n")
    with pytest.raises(SourceError, match=r"needs k8s.io/anew v0.32.0, which"):
        list(program.program_rows(checkouts[2], "unpublished", "flags"))
    assert replaced == [
        "replace k8s.io/anew v0.32.0 => ./unpublished/k8s.io/anew",
        "replace sigs.k8s.io/merge/v7 v7.0.1 => sigs.k8s.io/merge/v7 v7.0.0",
    ]


def test_a_program_is_not_built_for_releases_that_it_is_not_for(
    checkouts: list[Checkout],
) -> None:
    with pytest.raises(SourceError, match=r"is for 1\.34 and later"):
        list(program.program_rows(checkouts[2], "unpublished", "flags"))


@pytest.mark.parametrize(
    ("refused", "accepted", "known", "expected"),
    [
        ("spec.nodeName", "", "", {"spec.nodeName": "asked"}),
        ("spec.nodeName", "spec.nodeName", "", {}),
        # What is inside of a field that can change says that the field can.
        ("spec", "spec.nodeName", "", {}),
        # What is known stays, unless a change says otherwise.
        ("", "", "spec.nodeName", {"spec.nodeName": "kept"}),
        ("", "spec.nodeName", "spec.nodeName", {}),
        ("spec.a spec", "", "spec.b", {"spec": "asked"}),
    ],
)
def test_a_field_is_immutable_where_no_change_of_it_is_accepted(
    refused: str, accepted: str, known: str, expected: dict[str, str]
) -> None:
    kind = group_version_kind("v1", "Pod")
    given = [
        *(Reply((kind, path), path) for path in refused.split()),
        *(Reply((kind, path)) for path in accepted.split()),
    ]
    found = immutable_fields(given, {(kind, path) for path in known.split()})
    assert {path: how for (_, path), how in found.items()} == expected


_TAGGED = """
type Widget struct {
	// +k8s:beta(since: "1.37")=+k8s:maxItems=32
	// +k8s:listType=map
	// +k8s:listMapKey=name
	Parts []Part `json:"parts,omitempty"`
	// +k8s:ifEnabled(Bigger)=+k8s:minimum=1
	// +k8s:maximum=1000000000 # The highest of users
	Size int32 `json:"size"`
	// +k8s:eachKey=+k8s:format=k8s-short-name
	// +k8s:eachVal=+k8s:maxBytes=64
	Labels map[string]string `json:"labels"`
	// +k8s:subfield(name)=+k8s:format=k8s-long-name
	Meta Meta `json:"meta"`
}
"""


def test_tags_of_go_types_are_candidates_for_limits(tmp_path: Path) -> None:
    for module in ("api", "apimachinery", "apiextensions-apiserver"):
        (tmp_path / f"k8s.io/{module}@v0.37.0").mkdir(parents=True)
    folder = tmp_path / "k8s.io/api@v0.37.0/shop/v1"
    folder.mkdir(parents=True)
    (folder / "types.go").write_text(_TAGGED)
    limits = declared(Checkout(tmp_path, "1.37")).limits
    assert {field: set(found) for (_, field), found in limits.items()} == {
        "parts": {("max_items", "32"), ("unique", "name")},
        "size": {("minimum", "1"), ("maximum", "1000000000")},
        "labels": {("key_format", "dns-label"), ("max_length", "64")},
    }
