"""Overlays: the built-in one, those of users, and how their mistakes are reported."""

from __future__ import annotations

import json
import multiprocessing
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubestencil.errors import TargetError, UsageError
from kubestencil.schema import Release
from kubestencil.targets.jsonnet import evaluate, overlay_evaluation
from tests.conftest import Command, load, make_release
from tests.jsonnet_library import SHARED, files, results, write

SMALL = {
    "io.k8s.api.core.v1.Pod": {
        "description": "A pod.",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"$ref": "#/definitions/io.k8s.api.core.v1.Metadata"},
            "count": {"type": "integer", "description": "How many."},
        },
        "x-kubernetes-group-version-kind": [
            {"group": "", "version": "v1", "kind": "Pod"}
        ],
    },
    "io.k8s.api.core.v1.Metadata": {
        "description": "Its <b>metadata.",
        "properties": {"name": {"type": "string", "description": "Its name."}},
    },
}


@pytest.fixture
def small() -> Release:
    return make_release(SMALL)


def pages(spec: Release, folder: Path, **texts: str) -> dict[str, str]:
    """The pages with an overlay of the given files."""
    overlay(folder, **texts)
    generated = files(spec, "jsonnet-docs", str(folder))
    return {path: data.decode() for path, data in generated.items()}


def overlay(folder: Path, **texts: str) -> Path:
    """Write an overlay into ``folder``: the texts of its files, by name."""
    for name, text in texts.items():
        (folder / f"{name}.libsonnet").write_text(text)
    return folder


def extend(type_: str, body: str) -> str:
    """The text of an overlay file that adds ``body`` to a type of core.v1. The body
    begins in line 3."""
    return (
        "local d = import 'doc-util/main.libsonnet';\n"
        f"{{ core+: {{ v1+: {{ {type_}: {{\n{body}\n}} }} }} }}\n"
    )


# --- the built-in overlay -------------------------------------------------------------


@pytest.fixture(scope="module")
def built_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    return write(folder, files(load("1.35"), "jsonnet", "default"))


CONTAINER = "k.core.v1.container.new('c', 'i')"
DEPLOYMENT = f"k.apps.v1.deployment.new('web', 2, [{CONTAINER}], {{ tier: 'x' }})"
LABELS = {"name": "web", "tier": "x"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            DEPLOYMENT,
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "web"},
                "spec": {
                    "replicas": 2,
                    "selector": {"matchLabels": LABELS},
                    "template": {
                        "metadata": {"labels": LABELS},
                        "spec": {"containers": [{"name": "c", "image": "i"}]},
                    },
                },
            },
        ),
        (
            "std.objectHas(k.apps.v1.deployment.new('web', null, []).spec, 'replicas')",
            False,
        ),
        (
            "k.apps.v1.statefulSet.new('db', 1, [], [{ a: 1 }]).spec.volumeClaimTemplates",
            [{"a": 1}],
        ),
        ("std.objectHas(k.core.v1.configMap.new('c'), 'data')", False),
        ("k.core.v1.configMap.new('c', { a: 'b' }).data", {"a": "b"}),
        ("k.core.v1.secret.new('s', { a: 'b' }).type", "Opaque"),
        (
            "k.core.v1.container.withEnvMap({ B: '', A: 'x', C: { fieldRef: 1 } })",
            {
                "env": [
                    {"name": "A", "value": "x"},
                    {"name": "B"},
                    {"name": "C", "valueFrom": {"fieldRef": 1}},
                ]
            },
        ),
        (
            "k.core.v1.container.withResourcesRequests('1', null)",
            {"resources": {"requests": {"cpu": "1"}}},
        ),
        (
            "k.core.v1.containerPort.newNamedUDP(53, 'dns')",
            {"containerPort": 53, "name": "dns", "protocol": "UDP"},
        ),
        (
            "k.core.v1.volume.fromPersistentVolumeClaim('v', emptyDir='old')",
            {"name": "v", "persistentVolumeClaim": {"claimName": "old"}},
        ),
        (
            "k.core.v1.list.new({ a: 1 }) + k.core.v1.list.withItems([2])",
            {"apiVersion": "v1", "kind": "List", "items": [{"a": 1}, 2]},
        ),
        (
            "k.rbac.v1.roleBinding.bindRole(k.rbac.v1.role.new('r'))",
            {
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "Role",
                    "name": "r",
                }
            },
        ),
        (
            f"({DEPLOYMENT} + k.apps.v1.deployment.configVolumeMount('cfg', '/cfg'))"
            ".spec.template.spec",
            {
                "containers": [
                    {
                        "name": "c",
                        "image": "i",
                        "volumeMounts": [{"name": "cfg", "mountPath": "/cfg"}],
                    }
                ],
                "volumes": [{"name": "cfg", "configMap": {"name": "cfg"}}],
            },
        ),
        (
            f"(k.batch.v1.cronJob.new('j', '* * * * *', [{CONTAINER}])"
            " + k.batch.v1.cronJob.emptyVolumeMount('e', '/e', containers=['other']))"
            ".spec.jobTemplate.spec.template.spec",
            {
                "containers": [{"name": "c", "image": "i"}],
                "volumes": [{"name": "e", "emptyDir": {}}],
            },
        ),
        (
            f"({DEPLOYMENT} + k.apps.v1.deployment.mapContainersWithName('c', "
            "function(c) { was: c.name })).spec.template.spec.containers",
            [{"was": "c"}],
        ),
    ],
)
def test_built_in_functions(built_in: Path, expression: str, expected: Any) -> None:
    assert results(built_in, [expression]) == [expected]


def test_the_built_in_overlay_only_adds_to_the_pages_of_every_release() -> None:
    for name in ("1.29", "1.35", "1.36"):
        plain = files(load(name), "jsonnet-docs")
        with_overlay = files(load(name), "jsonnet-docs", "default")
        assert set(with_overlay) - set(plain) == {"core/v1/list.md"}
        assert set(plain) <= set(with_overlay)
        changed = [path for path in plain if plain[path] != with_overlay[path]]
        assert len(changed) == 28
        for path in changed:
            assert len(with_overlay[path]) > len(plain[path])
        page = with_overlay["apps/v1/deployment.md"].decode()
        assert (
            "* [`fn new(name, replicas=1, containers, podLabels={})`](#fn-new)" in page
        )
        assert "new returns an instance of Deployment" in page


def test_a_document_without_the_required_types_gets_no_overlay(small: Release) -> None:
    for name in ("jsonnet", "jsonnet-docs"):
        assert files(small, name, "default") == files(small, name)


def test_needs_toml_lists_all_types_that_the_built_in_overlay_changes() -> None:
    plain = files(load("1.35"), "jsonnet-docs")
    with_overlay = files(load("1.35"), "jsonnet-docs", "default")
    needs = tomllib.loads((SHARED / "overlay" / "needs.toml").read_text())
    assert {path for path in plain if plain[path] != with_overlay[path]} == {
        "core/v1/index.md"
    } | {
        f"{group}/{version}/{name}.md"
        for group, versions in needs.items()
        for version, names in versions.items()
        for name in names
    }


# --- users' overlays --------------------------------------------------------


def test_documented_fields_of_an_overlay_are_on_the_pages(
    small: Release, tmp_path: Path
) -> None:
    text = extend(
        "pod+",
        """
        '#new'+: d.func.withArgs([d.arg('name', d.T.string), d.arg('n', d.T.int, 1)]),
        new(name, n=1):: super.new(name) + super.withCount(n),
        '#size': d.val('number', 'A size.', 3),
        size:: 3,
        metadata+: {
          '#short': d.fn('Short.', [d.arg('a', d.T.object, { b: ["it's"], c: true })]),
          short(a):: super.withName(a),
        },
        hidden(a):: a,
        """,
    )
    page = pages(small, tmp_path, mine=text)["core/v1/pod.md"]
    assert "* [`fn new(name, n=1)`](#fn-new)" in page
    assert "new returns an instance of Pod" in page
    assert "### number size\n\n*Default value: * `3`\n\nA size." in page
    assert (
        '### fn metadata.short\n\n```ts\nshort(a={b: ["it\'s"], c: true})\n```' in page
    )
    assert '"Its name."' in page
    assert "Its &lt;b>metadata." in page
    assert "hidden" not in page


def test_packages_of_an_overlay_have_pages(small: Release, tmp_path: Path) -> None:
    text = """
      local d = import 'github.com/jsonnet-libs/docsonnet/doc-util/main.libsonnet';
      {
        util:: { '#': d.pkg('util', '', 'Tools.'), '#f': d.fn('F.', []), f():: 1 },
        core+: { v1+: { extra: { '#': d.pkg('extra', '', 'E.'), deep: {
          '#': d.pkg('deep', '', 'D.'), '#g': d.fn('G.', []), g():: 1,
        } } } },
      }
    """
    generated = pages(small, tmp_path, mine=text)
    assert "* [util](util.md)" in generated["README.md"]
    assert "### fn f" in generated["util.md"]
    assert "* [extra](extra/index.md)" in generated["core/v1/index.md"]
    assert "* [deep](deep.md)" in generated["core/v1/extra/index.md"]
    assert "permalink: /test/core/v1/extra/deep/" in generated["core/v1/extra/deep.md"]


def test_the_path_of_a_page_has_the_name_that_the_package_documents(
    small: Release, tmp_path: Path
) -> None:
    """docsonnet uses the name in ``#``, not that of the field."""
    text = (
        "local d = import 'doc-util/main.libsonnet';"
        "{ core+: { '#': d.pkg('heart', '', ''), v1+: {"
        " pod+: { '#': d.pkg('pods', '', 'P.') } } } }"
    )
    generated = pages(small, tmp_path, mine=text)
    assert "* [heart](heart/index.md)" in generated["README.md"]
    assert "* [`fn metadata" not in generated["heart/v1/pods.md"]
    assert "* [`obj metadata`](#obj-metadata)" in generated["heart/v1/pods.md"]
    assert "permalink: /test/heart/v1/metadata/" in generated["heart/v1/metadata.md"]


def test_an_overlay_replaces_a_generated_function(
    small: Release, tmp_path: Path
) -> None:
    text = extend("pod+", "withCount(count):: { count: count * 2 },")
    folder = tmp_path / "overlay"
    folder.mkdir()
    generated = files(small, "jsonnet", str(overlay(folder, mine=text)))
    main = write(tmp_path / "library", generated)
    assert results(main, ["k.core.v1.pod.withCount(2)"]) == [{"count": 4}]
    assert '"How many."' in pages(small, folder)["core/v1/pod.md"]


def test_an_overlay_removes_a_type_and_replaces_another(
    small: Release, tmp_path: Path
) -> None:
    text = (
        "local d = import 'doc-util/main.libsonnet';"
        "{ core+: { v1: { '#': d.pkg('v1', '', ''), "
        "pod: { '#': d.pkg('pod', '', 'Mine.') } } } }"
    )
    generated = pages(small, tmp_path, mine=text)
    assert "Mine." in generated["core/v1/pod.md"]
    assert "core/v1/metadata.md" not in generated


def test_an_overlay_can_read_what_is_in_a_type(small: Release, tmp_path: Path) -> None:
    text = """
      local d = import 'doc-util/main.libsonnet';
      { core+: { v1+: {
        pod: super.pod + (
          if std.objectHasAll(super.pod, '#withCount')
          then { '#twice': d.fn('Twice.', []), twice():: 2 }
          else {}
        ),
      } } }
    """
    assert "### fn twice" in pages(small, tmp_path, mine=text)["core/v1/pod.md"]


def test_files_are_added_in_the_order_of_their_paths(
    small: Release, tmp_path: Path
) -> None:
    first = extend("pod+", "a:: 1, '#x': d.fn('First.', []), x():: 1")
    second = extend("pod+", "'#x': d.fn('Second.', []), x():: 2")
    page = pages(small, tmp_path, a=first, b=second)["core/v1/pod.md"]
    assert "Second." in page
    assert "First." not in page


# --- mistakes ---------------------------------------------------------


# Mistakes whose line only jrsonnet names, with its message.
MISTAKES = [
    ("a: 1 b: 2", "expected one of"),
    ("'#a': d.fn(nope, []), a:: 1", "nope"),
    ("'#a': import 'missing.libsonnet', a:: 1", "'missing.libsonnet'"),
    ("local f(x) = f(x + 1) + 1, '#a': d.fn(f(0), []), a:: 1", "stack"),
    ("'#a': d.fn(error 'on purpose', []), a:: 1", "on purpose"),
    ("'#a': { b: self.b }, a:: 1", "infinite recursion"),
]


@pytest.fixture
def without_gojsonnet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Overlays are evaluated as where the extra ``jsonnet`` is not installed."""

    def run_here(function: Callable[[], Any], seconds: float) -> Any:
        return function()

    monkeypatch.setitem(sys.modules, "_gojsonnet", None)
    # A child process would have it, where processes are not forked.
    monkeypatch.setattr(evaluate, "run_sandboxed", run_here)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("a: 1 b: 2", 3, "Expected"),
        ("'#a': d.fn(nope, []), a:: 1", 3, "nope"),
        ("'#a': import 'missing.libsonnet', a:: 1", 3, "'missing.libsonnet'"),
        ("local f(x) = f(x + 1) + 1, '#a': d.fn(f(0), []), a:: 1", 3, "stack"),
        ("'#a': d.fn(error 'on purpose', []), a:: 1", 3, "on purpose"),
        ("'#a': super.nope, a:: 1", 3, "nope"),
        ("'#a': { b: self.b }, a:: 1", 3, ""),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(
    small: Release, tmp_path: Path, body: str, line: int, message: str
) -> None:
    pytest.importorskip("_gojsonnet")
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"{tmp_path / 'mine.libsonnet'}:{line}"
    assert message in caught.value.what


@pytest.mark.parametrize(("body", "message"), MISTAKES)
def test_most_mistakes_are_located_without_gojsonnet(
    small: Release, tmp_path: Path, body: str, message: str, without_gojsonnet: None
) -> None:
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"{tmp_path / 'mine.libsonnet'}:3"
    assert message in caught.value.what
    assert not caught.value.hint


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("'#a': super.nope", "core.v1.pod"),
        ("'#a': d.fn({}.nope, [])", "core.v1.pod.#a.function.help"),
    ],
)
def test_other_mistakes_are_located_by_field_without_gojsonnet(
    small: Release, tmp_path: Path, body: str, field: str, without_gojsonnet: None
) -> None:
    """jrsonnet does not name the line that reads a field that does not exist."""
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"the overlay {tmp_path}"
    assert caught.value.what == f"no such field: nope (in {field})"
    assert "install kubestencil[jsonnet]" in caught.value.hint


def test_the_built_in_overlay_needs_no_gojsonnet(without_gojsonnet: None) -> None:
    assert "core/v1/list.md" in files(load("1.35"), "jsonnet-docs", "default")


def test_overlays_are_evaluated_where_processes_are_not_forked(
    small: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows and macOS: all that the other process gets can be pickled."""
    monkeypatch.setattr(
        evaluate, "multiprocessing", multiprocessing.get_context("spawn")
    )
    text = extend("pod+", "'#new'+: d.func.withArgs([d.arg('n', d.T.int)])")
    page = pages(small, tmp_path, mine=text)["core/v1/pod.md"]
    assert "* [`fn new(n)`](#fn-new)" in page
    with pytest.raises(TargetError, match="on purpose"):
        pages(small, tmp_path, mine=extend("pod+", "'#a': error 'on purpose'"))


@pytest.mark.parametrize("name", ["jsonnet", "jsonnet-docs"])
@pytest.mark.parametrize("text", ["{ core+: { v1+: ", "import 'missing'", "1"])
def test_no_target_prints_with_a_broken_overlay(
    small: Release, tmp_path: Path, name: str, text: str
) -> None:
    with pytest.raises(TargetError) as caught:
        files(small, name, str(overlay(tmp_path, mine=text)))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        # Frames are not counted in calls that are tailstrict.
        "local f(x) = f(x + 1) tailstrict, '#a': d.fn(f(0), []), a:: 1",
        "'#a': d.fn(std.join('', std.repeat(['x'], 9999999999)), []), a:: 1",
    ],
)
def test_an_overlay_cannot_crash_or_block_the_program(
    small: Release, tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_evaluation, "_SECONDS", 5.0)
    with pytest.raises(TargetError, match=r"recursion|memory|longer than 5 seconds"):
        pages(small, tmp_path, mine=extend("pod+", body))


@pytest.mark.parametrize(
    "value", ["{}", "{ 'function': 1 }", "d.val(1)", "{ object: { help: 2 } }"]
)
def test_malformed_documentation_is_refused(
    small: Release, tmp_path: Path, value: str
) -> None:
    with pytest.raises(TargetError, match=r"core\.v1\.pod\.#a is not documentation"):
        pages(small, tmp_path, mine=extend("pod+", f"'#a': {value}, a:: 1"))


def test_invalid_overlay_folders_are_refused(small: Release, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        files(small, "jsonnet", str(tmp_path / "nope"))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.libsonnet").write_text("{}")
    with pytest.raises(TargetError, match="same name"):
        files(small, "jsonnet", str(tmp_path))
    (tmp_path / "a" / "same.libsonnet").write_bytes(b"\xff")
    with pytest.raises(TargetError, match="UTF-8"):
        files(small, "jsonnet", str(tmp_path / "a"))
    (tmp_path / "a" / "needs.toml").write_text("core = 1")
    with pytest.raises(TargetError, match="does not list types"):
        files(small, "jsonnet", str(tmp_path / "a"))


def test_a_changed_overlay_makes_the_output_stale(run: Command, tmp_path: Path) -> None:
    from tests.conftest import make_document

    (tmp_path / "small.json").write_text(json.dumps(make_document(SMALL)))
    folder = tmp_path / "overlay"
    folder.mkdir()
    overlay(folder, mine=extend("pod+", "'#a': d.fn('Before.', []), a():: 1"))
    arguments = (
        *("render", "x", "--spec", "small.json", "-t", "jsonnet", "-t", "jsonnet-docs"),
        *("--set", f"jsonnet.overlay={folder}"),
        *("--set", f"jsonnet-docs.overlay={folder}"),
    )
    page = tmp_path / "generated" / "x" / "jsonnet-docs" / "core" / "v1" / "pod.md"
    assert run(*arguments).returncode == 0
    assert "Before." in page.read_text()
    assert run(*arguments, "--check").returncode == 0
    overlay(folder, mine=extend("pod+", "'#a': d.fn('After.', []), a():: 1"))
    assert run(*arguments, "--check").returncode == 1
    assert run(*arguments).returncode == 0
    assert "After." in page.read_text()


def test_the_command_reports_a_mistake_with_file_and_line(
    run: Command, tmp_path: Path
) -> None:
    from tests.conftest import make_document

    (tmp_path / "small.json").write_text(json.dumps(make_document(SMALL)))
    overlay(tmp_path, mine="{ a: ")
    done = run(
        *("render", "x", "--spec", "small.json", "-t", "jsonnet-docs"),
        *("--set", f"jsonnet-docs.overlay={tmp_path}"),
    )
    assert done.returncode == 1
    assert f"error: {tmp_path / 'mine.libsonnet'}:1: " in done.stderr
