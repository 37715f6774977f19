"""The Jsonnet library of custom resources: every builder sets the field of its schema,
whatever a CustomResourceDefinition is like, and with the quirks of k8s-gen the library
is byte for byte that of k8s-gen.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from kubestencil.errors import SpecError, UsageError
from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.source import locate
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import add_crds
from kubestencil.targets import generate_files
from kubestencil.targets.languages.jsonnet.library import make_library
from kubestencil.targets.languages.jsonnet.members import Constructor
from tests.cluster import crd_file, load_crds, stored_crds
from tests.crd_schemas import definition, version
from tests.jsonnet_library import (
    all_calls,
    evaluate,
    files,
    library_of,
    results,
    target,
    write,
)
from tests.test_jsonnet_hostile_specs import NAMES, TEXTS

LISTS = Path(__file__).parent / "conformance" / "jsonnet-crds"
GADGETS = Path(__file__).parent / "crds" / "gadgets.yaml"
#: The domains of the groups in each list, which the archive of a cluster has, too.
PROJECTS = {
    "argo-cd": ("argoproj.io",),
    "cert-manager": ("cert-manager.io",),
    "cluster-api": ("cluster.x-k8s.io",),
    "gateway-api-experimental": ("networking.k8s.io", "networking.x-k8s.io"),
    "istio": ("istio.io",),
    "prometheus-operator": ("monitoring.coreos.com",),
    "strimzi": ("strimzi.io",),
}
# k8s-gen reads nothing but the CustomResourceDefinitions.
ONLY_CUSTOM = r"^(?!io\.k8s\.(?:api|[^.]+\.pkg)\.)"


def with_crds(*crds: SourceFile, unserved: bool = False) -> Release:
    """Kubernetes 1.35 with custom resources."""
    return load_release(
        add_crds(locate("1.35", None), CrdSet((), crds, unserved=unserved))
    )


def gadgets(*, unserved: bool = False) -> Release:
    return with_crds(
        SourceFile("gadgets.yaml", GADGETS.read_bytes()), unserved=unserved
    )


def crd(
    spec: dict[str, Any], *, kind: str = "Foo", group: str = "example.com", **more: Any
) -> dict[str, Any]:
    """A CustomResourceDefinition whose kind has such a field ``spec``."""
    schema = {"type": "object", "properties": {"spec": spec}}
    v1 = version("v1", schema, storage=True)
    result = definition(kind, v1, group=group, singular=kind.lower())
    return {**result, "spec": {**result["spec"], **more}}


def groups(release: Release) -> dict[str, tuple[str, ...]]:
    """The versions of each group in the library of a release."""
    return dict(library_of(release).groups())


def value_of(release: Release, folder: Path, expression: str) -> Any:
    """The value of an expression in which ``k`` is the library."""
    main = write(folder, files(release, "jsonnet"))
    return evaluate(f"local k = import {json.dumps(str(main))}; {expression}")


# --- by default, what the API server accepts


@pytest.mark.nightly
def test_every_builder_sets_the_field_of_its_schema(tmp_path: Path) -> None:
    release = gadgets()
    main = write(tmp_path, files(release, "jsonnet"))
    expressions, expected = zip(*all_calls(library_of(release)), strict=True)
    assert results(main, list(expressions)) == list(expected)


def test_a_manifest_is_made_of_nested_builders(tmp_path: Path) -> None:
    expression = """
      local gadget = k.tool_box.v1.gadget;
      gadget.new('g')
      + gadget.spec.issuerRef.withName('ca')
      + gadget.spec.secretRef.withKey('tls')
      + gadget.spec.withEndpoints(gadget.spec.endpoints.withPort('http'))
      + gadget.spec.withAnything([1])
      + gadget.spec.withTemplate({ kind: 'Pod' })
    """
    assert value_of(gadgets(), tmp_path, expression) == {
        "apiVersion": "tool-box.example.com/v1",
        "kind": "Gadget",
        "metadata": {"name": "g"},
        "spec": {
            "issuerRef": {"name": "ca"},
            "SecretRef": {"key": "tls"},
            "endpoints": [{"port": "http"}],
            "anything": [1],
            "template": {"kind": "Pod"},
        },
    }


def test_objects_without_a_namespace_have_an_annotation(tmp_path: Path) -> None:
    expression = "k.other.v1alpha1.gadgetClass.new('c').metadata"
    assert value_of(gadgets(), tmp_path, expression) == {
        "name": "c",
        "annotations": {"tanka.dev/namespaced": "false"},
    }


def test_custom_groups_are_generated_besides_those_of_kubernetes() -> None:
    added = groups(gadgets())
    custom = {"tool_box", "other", "store"}
    assert groups(load_release(locate("1.35", None))) == {
        group: versions for group, versions in added.items() if group not in custom
    }
    assert added["tool_box"] == ("v1", "v2beta1")
    assert added["store"] == ("v1", "v2")


def test_a_prefix_selects_custom_groups() -> None:
    options = {"prefix": r"^com\.example\.other\."}
    library = make_library(gadgets(), target("jsonnet").with_options(options))
    assert [type_.path for type_ in library.types] == [
        ("other", "v1alpha1", "gadgetClass")
    ]


def test_list_kinds_and_inner_types_have_no_file() -> None:
    names = [
        type_.name for type_ in library_of(gadgets()).types if type_.group == "other"
    ]
    assert names == ["gadgetClass"]


@pytest.mark.parametrize(
    ("group", "field"),
    [
        ("example.com", "example"),
        ("apps.example.com", "apps_example"),
        ("cert-manager.io", "cert_manager"),
        ("networking.k8s.example.com", "networking_k8s"),
        ("9lives.example.com", "9lives"),
        ("local.example.com", "local"),
    ],
)
def test_a_group_has_a_field_of_its_own(group: str, field: str, tmp_path: Path) -> None:
    """No custom group is part of one of Kubernetes itself."""
    release = with_crds(crd_file([crd({"type": "object"}, group=group)]))
    object_ = value_of(release, tmp_path, f"k['{field}'].v1.foo.new('x')")
    assert object_["apiVersion"] == f"{group}/v1"
    assert "foo" not in value_of(release, tmp_path, "std.objectFields(k.apps.v1)")


def test_groups_that_begin_alike_have_longer_names() -> None:
    names = [
        "net.a.example.com",
        "net.b.example.com",
        "x-y.example.com",
        "x.y.example.com",
    ]
    release = load_crds(*(crd({"type": "object"}, group=name) for name in names))
    assert set(groups(release)) == {"net_a", "net_b", "x_y", "x", "meta"}


def test_builders_with_one_name_have_others(tmp_path: Path) -> None:
    text = {"type": "string"}
    properties = {"URL": text, "url": text, "uRL": text, "new": text, "mixin": text}
    release = load_crds(crd({"type": "object", "properties": properties}))
    expression = """
      local spec = k.example.v1.foo.spec;
      spec.withUrl('a') + spec.withUrl_0bb5('b') + spec.withURL('c')
    """
    values = value_of(release, tmp_path, expression)["spec"]
    assert values == {"URL": "a", "url": "b", "uRL": "c"}


def test_kinds_that_differ_in_case_have_files_of_their_own(tmp_path: Path) -> None:
    kinds = [
        crd({"type": "object"}, kind=kind) for kind in ("FooBar", "Foobar", "Main")
    ]
    kinds[1]["spec"]["names"]["plural"] = "foobars2"
    release = load_crds(*kinds)
    paths = [
        type_.path for type_ in library_of(release).types if type_.group == "example"
    ]
    assert paths == [
        ("example", "v1", name) for name in ("fooBar", "foobar_2afd", "main_d875")
    ]
    new = value_of(release, tmp_path, "k.example.v1.foobar_2afd.new('x').kind")
    assert new == "Foobar"


def test_a_deep_custom_resource_is_generated(tmp_path: Path) -> None:
    spec: dict[str, Any] = {"type": "string"}
    for _ in range(90):
        spec = {"type": "object", "properties": {"a": spec, "b": {"type": "string"}}}
    path = ".a" * 89
    expression = f"k.example.v1.foo.spec{path}.withA('x').spec{path}.a"
    assert value_of(load_crds(crd(spec)), tmp_path, expression) == "x"


@pytest.mark.growth
def test_a_custom_resource_may_have_any_number_of_builders() -> None:
    """The largest of real ones has more than ten thousand."""
    inner = {
        f"f{number}": {"type": "object", "properties": {"a": {"type": "string"}}}
        for number in range(300)
    }
    outer = {
        f"g{number}": {"type": "object", "properties": inner} for number in range(100)
    }
    library = library_of(load_crds(crd({"type": "object", "properties": outer})))
    assert max(type_.members.size for type_ in library.types) > 60_000


PROPERTIES = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "object"]), "description": TEXTS}
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(NAMES, inner, max_size=4),
                "description": TEXTS,
            }
        ),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
    ),
    max_leaves=8,
)


# --- all of a cluster


@pytest.mark.nightly
def test_every_builder_of_a_cluster_works(tmp_path: Path) -> None:
    crds = stored_crds()
    release = load_crds(*crds)
    library = library_of(release)
    served = {
        (item["spec"]["group"], version["name"], item["spec"]["names"]["kind"])
        for item in crds
        for version in item["spec"]["versions"]
        if version["served"]
    }
    constructors = {
        (member.kind.group, member.kind.version, member.kind.kind)
        for type_ in library.types
        for member in type_.members.entries
        if isinstance(member, Constructor)
    }
    assert served == constructors
    main = write(tmp_path, files(release, "jsonnet"))
    expressions, expected = zip(*all_calls(library), strict=True)
    assert results(main, list(expressions)) == list(expected)


# --- as k8s-gen


def k8s_gen_digests(release: Release) -> dict[str, str]:
    options = {"custom_resources": "k8s-gen", "prefix": ONLY_CUSTOM}
    generated = generate_files(release, target("jsonnet").with_options(options))
    return {
        file.path: hashlib.sha256(file.data).hexdigest()
        for file in generated
        # k8s-gen writes none.
        if file.path != "README.md"
    }


def listed_digests(name: str) -> dict[str, str]:
    lines = (LISTS / f"{name}.sha256").read_text().splitlines()
    return {path: digest for digest, path in (line.split() for line in lines)}


def test_the_quirks_give_the_library_of_k8s_gen() -> None:
    assert k8s_gen_digests(gadgets(unserved=True)) == listed_digests("gadgets")


@pytest.mark.parametrize("project", PROJECTS)
def test_the_quirks_give_the_library_of_a_project(project: str) -> None:
    chosen = [
        item
        for item in stored_crds()
        if f".{item['spec']['group']}".endswith(
            tuple(f".{domain}" for domain in PROJECTS[project])
        )
    ]
    release = with_crds(crd_file(chosen), unserved=True)
    assert k8s_gen_digests(release) == listed_digests(project)


def test_groups_that_k8s_gen_confuses_are_an_error() -> None:
    names = ["net.a.example.com", "net.b.example.com"]
    release = load_crds(*(crd({"type": "object"}, group=name) for name in names))
    with pytest.raises(SpecError, match=r"are both net\.v1 in a library of k8s-gen"):
        k8s_gen_digests(release)


def test_custom_resources_are_correct_or_as_k8s_gen() -> None:
    with pytest.raises(UsageError, match="unknown value 'k8s_gen'"):
        make_library(
            gadgets(), target("jsonnet").with_options({"custom_resources": "k8s_gen"})
        )
