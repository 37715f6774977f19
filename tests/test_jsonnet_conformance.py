"""The Jsonnet library and its pages, byte for byte as k8s-gen and docsonnet print them.

The lists are made from full specs. The embedded ones are of another patch in some
releases, and have lost two descriptions, so there a file is excused if its type
has such a definition in it, and no other.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import pytest

from kubestencil.schema import Release, Schema
from kubestencil.targets.jsonnet.view import Library
from tests.conftest import RELEASES, full_specs, load
from tests.jsonnet_library import files, target

LISTS = Path(__file__).parent / "conformance"
TARGETS = {"jsonnet": "_gen/{}/{}/{}.libsonnet", "jsonnet-docs": "{}/{}/{}.md"}

# What the embedded specs cannot give back (generator/kubestencil/source/embedded.py).
LOST = (
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
)
# Definitions that later patches changed.
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
# In 1.31.0 ResourceSliceList called its metadata listMeta, which made it a type.
ONLY_EMBEDDED = {
    "1.31": {
        "_gen/resource/v1alpha3/main.libsonnet",
        "_gen/resource/v1alpha3/resourceSliceList.libsonnet",
        "resource/v1alpha3/index.md",
        "resource/v1alpha3/resourceSliceList.md",
    }
}
# Published pages (jsonnet-libs/k8s-libsonnet, docs/) and what the project started
# from, by digest: the lists themselves are checked with them.
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
def listed(name: str) -> dict[str, str]:
    lines = (LISTS / f"{name}.sha256").read_text().splitlines()
    return {path: digest for digest, path in (line.split() for line in lines)}


def digests(
    name: str, release: str, specs: Path | None, overlay: str = ""
) -> dict[str, str]:
    printed = files(load(release, specs), name, overlay)
    return {path: hashlib.sha256(data).hexdigest() for path, data in printed.items()}


def different(ours: dict[str, str], theirs: dict[str, str]) -> set[str]:
    return {path for path, _ in ours.items() ^ theirs.items()}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("release", RELEASES)
def test_files_on_the_embedded_specs(name: str, release: str) -> None:
    spec = load(release)
    pattern = TARGETS[name]
    excused = {
        pattern.format(each.group, each.version, each.name)
        for each in Library(spec, target(name)).types
        if within(spec, each.definition) & {*LOST, *PATCHED.get(release, ())}
    }
    theirs = listed(f"{name}/{release}")
    assert len(excused) < len(theirs) / 2
    assert different(digests(name, release, None), theirs) <= excused | (
        ONLY_EMBEDDED.get(release, set())
    )


@needs_specs
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("release", RELEASES)
def test_files_on_the_full_specs(name: str, release: str) -> None:
    ours = digests(name, release, full_specs())
    assert different(ours, listed(f"{name}/{release}")) == set()


@needs_core
@pytest.mark.parametrize("release", RELEASES)
def test_pages_with_upstreams_overlay(release: str) -> None:
    ours = digests("jsonnet-docs", release, full_specs(), CORE)
    core = listed(f"jsonnet-docs/core/{release}")
    assert different(ours, {**listed(f"jsonnet-docs/{release}"), **core}) == set()


@needs_core
@pytest.mark.parametrize("release", RELEASES)
def test_library_with_upstreams_overlay(release: str) -> None:
    """The overlay's files beside the generated ones, and imported after them."""
    ours = files(load(release, full_specs()), "jsonnet", CORE)
    overlay = {f"_custom/{path.name}": path for path in Path(CORE).iterdir()}
    assert {p: d for p, d in ours.items() if p.startswith("_custom")} == {
        path: file.read_bytes() for path, file in overlay.items()
    }
    imports = "".join(f" + (import '{path}')" for path in sorted(overlay))
    assert ours["main.libsonnet"].decode() == f"(import 'gen.libsonnet'){imports}\n"


@pytest.mark.parametrize(("release", "path", "digest"), PUBLISHED)
def test_published_pages(release: str, path: str, digest: str) -> None:
    assert listed(f"jsonnet-docs/{release}")[path].startswith(digest)
    assert digests("jsonnet-docs", release, None)[path].startswith(digest)


@pytest.mark.parametrize(("release", "path", "digest"), PUBLISHED_WITH_CORE)
def test_published_pages_with_the_overlay(release: str, path: str, digest: str) -> None:
    assert listed(f"jsonnet-docs/core/{release}")[path].startswith(digest)


def within(spec: Release, name: str) -> set[str]:
    """The definitions in a definition, at any depth."""
    found: set[str] = set()
    todo = [spec.definitions[name].schema]
    while todo:
        for ref in references(todo.pop()):
            if ref not in found:
                found.add(ref)
                todo.append(spec.definitions[ref].schema)
    return found | {name}


def references(schema: Schema) -> set[str]:
    fields = {field.schema.ref for field in schema.fields}
    items = {
        field.schema.items.ref
        for field in schema.fields
        if field.schema.items is not None
    }
    return {ref for ref in fields | items if ref is not None}
