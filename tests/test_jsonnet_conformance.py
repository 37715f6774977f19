"""The Jsonnet library and its pages are byte for byte those of k8s-gen and docsonnet.

The digests are those of full documents. The embedded ones are of another patch
version in some releases, and lack two descriptions. With them, the files of types that
contain such a definition may differ, and no others.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import pytest

from kubestencil.schema import Definition
from kubestencil.schema.graph import reachable
from tests.conftest import EACH_RELEASE, full_specs, load
from tests.jsonnet_library import files, library_of
from tests.published import read_digests

TARGETS = {"jsonnet": "_gen/{}/{}/{}.libsonnet", "jsonnet-docs": "{}/{}/{}.md"}

# The definitions whose descriptions the embedded documents lack
# (generator/kubestencil/source/embedded.py).
WITHOUT_DESCRIPTION = (
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
)
# Definitions that later patch versions changed.
PATCHED = {
    "1.30": (
        "io.k8s.api.core.v1.ConfigMapEnvSource",
        "io.k8s.api.core.v1.ConfigMapKeySelector",
        "io.k8s.api.core.v1.ConfigMapProjection",
        "io.k8s.api.core.v1.ConfigMapVolumeSource",
        "io.k8s.api.core.v1.HostAlias",
        "io.k8s.api.core.v1.LocalObjectReference",
        "io.k8s.api.core.v1.SecretEnvSource",
        "io.k8s.api.core.v1.SecretKeySelector",
        "io.k8s.api.core.v1.SecretProjection",
        "io.k8s.api.core.v1.ServiceSpec",
    ),
    "1.32": (
        "io.k8s.api.resource.v1alpha3.ResourceClaimStatus",
        "io.k8s.api.resource.v1beta1.ResourceClaimStatus",
    ),
}
# In 1.31.0 the metadata of ResourceSliceList was called listMeta, so that k8s-gen did not
# recognize it as a list.
ONLY_EMBEDDED = {
    "1.31": {
        "_gen/resource/v1alpha3/main.libsonnet",
        "_gen/resource/v1alpha3/resourceSliceList.libsonnet",
        "resource/v1alpha3/index.md",
        "resource/v1alpha3/resourceSliceList.md",
    }
}
# Digests of published pages (jsonnet-libs/k8s-libsonnet, docs/) and of pages made when
# the project began: they check the lists themselves.
PUBLISHED = (
    ("1.29", "resource/v1alpha2/resourceClaimStatus.md", "ed69fdafdac04d55"),
    ("1.30", "core/v1/portStatus.md", "a72db2cf631858e6"),
    ("1.31", "resource/index.md", "cc8df1df83bbdf79"),
    ("1.33", "meta/v1/fieldsV1.md", "6f889bc08417bed8"),
    ("1.35", "README.md", "4e62224dcb094eac"),
    ("1.35", "apps/v1/deploymentCondition.md", "7c2c9f1166de3973"),
    ("1.35", "resource/v1/resourceClaimStatus.md", "9146e75bbf09f5c2"),
)
PUBLISHED_WITH_CORE = (
    ("1.29", "autoscaling/v2/crossVersionObjectReference.md", "2d73cc8581f00685"),
    ("1.31", "core/v1/list.md", "3e7fbcaa23b92ef7"),
    ("1.34", "rbac/v1/subject.md", "89e5dbe855b54002"),
    ("1.35", "core/v1/volumeMount.md", "73b1b146a6f1a337"),
)

CORE = os.environ.get("KUBESTENCIL_JSONNET_CORE", "")
needs_specs = pytest.mark.skipif(
    full_specs() is None, reason="KUBESTENCIL_SPECS is not set"
)
needs_core = pytest.mark.skipif(
    not CORE or full_specs() is None,
    reason="KUBESTENCIL_JSONNET_CORE (libs/k8s/custom/core of jsonnet-libs/k8s) and "
    "KUBESTENCIL_SPECS are not set",
)


@cache
def listed_digests(name: str) -> dict[str, str]:
    return read_digests(f"{name}.sha256")


def digests(
    name: str, release: str, specs: Path | None, overlay: str = ""
) -> dict[str, str]:
    generated = files(load(release, specs), name, overlay)
    if name == "jsonnet":
        # What is published has none of ours.
        del generated["README.md"]
    return {path: hashlib.sha256(data).hexdigest() for path, data in generated.items()}


def different_paths(actual: dict[str, str], expected: dict[str, str]) -> set[str]:
    return {path for path, _ in actual.items() ^ expected.items()}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_embedded_specs_give_the_published_files(name: str, release: str) -> None:
    spec = load(release)
    affected = {*WITHOUT_DESCRIPTION, *PATCHED.get(release, ())}
    graph = {
        name: inlined_references(definition)
        for name, definition in spec.definitions.items()
    }
    may_differ = {
        TARGETS[name].format(*type_.path)
        for type_ in library_of(spec).types
        if reachable(graph, [type_.definition]) & affected
    }
    expected = listed_digests(f"{name}/{release}")
    assert len(may_differ) < len(expected) / 2
    assert different_paths(digests(name, release, None), expected) <= may_differ | (
        ONLY_EMBEDDED.get(release, set())
    )


@needs_specs
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_full_specs_give_the_published_files(name: str, release: str) -> None:
    actual = digests(name, release, full_specs())
    assert different_paths(actual, listed_digests(f"{name}/{release}")) == set()


@needs_core
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_upstream_overlay_gives_the_published_pages(release: str) -> None:
    actual = digests("jsonnet-docs", release, full_specs(), CORE)
    expected = {
        **listed_digests(f"jsonnet-docs/{release}"),
        **listed_digests(f"jsonnet-docs/core/{release}"),
    }
    assert different_paths(actual, expected) == set()


@needs_core
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_library_has_the_files_of_the_upstream_overlay(release: str) -> None:
    """They are copied, and imported after the generated library."""
    generated = files(load(release, full_specs()), "jsonnet", CORE)
    overlay = {f"_custom/{path.name}": path for path in Path(CORE).iterdir()}
    assert {
        path: data for path, data in generated.items() if path.startswith("_custom")
    } == {path: file.read_bytes() for path, file in overlay.items()}
    imports = "".join(f" + (import '{path}')" for path in sorted(overlay))
    assert (
        generated["main.libsonnet"].decode() == f"(import 'gen.libsonnet'){imports}\n"
    )


@pytest.mark.parametrize(("release", "path", "digest"), PUBLISHED)
def test_pages_are_those_published(release: str, path: str, digest: str) -> None:
    assert listed_digests(f"jsonnet-docs/{release}")[path].startswith(digest)
    assert digests("jsonnet-docs", release, None)[path].startswith(digest)


@pytest.mark.parametrize(("release", "path", "digest"), PUBLISHED_WITH_CORE)
def test_pages_with_the_upstream_overlay_are_those_published(
    release: str, path: str, digest: str
) -> None:
    assert listed_digests(f"jsonnet-docs/core/{release}")[path].startswith(digest)


def inlined_references(definition: Definition) -> list[str]:
    """The definitions of which the builders of a definition show the description."""
    schemas = [field.schema for field in definition.fields]
    schemas += [schema.items for schema in schemas if schema.items is not None]
    return [schema.ref for schema in schemas if schema.ref is not None]
