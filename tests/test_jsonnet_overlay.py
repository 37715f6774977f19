"""Overlays: what the built-in one adds to the library, and what those of users can do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from tests.conftest import load, make_release
from tests.jsonnet_library import (
    SHARED,
    SMALL,
    extend,
    files,
    overlay,
    pages,
    results,
    write,
)


@pytest.fixture
def small() -> Release:
    return make_release(SMALL)


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


@pytest.mark.nightly
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
