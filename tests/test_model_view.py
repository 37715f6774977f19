"""The view ``model``: what templates get of a release, and what they can rely on."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.errors import SpecError, TargetError
from kubestencil.schema import Release
from kubestencil.schema.knowledge.descriptions import deprecation
from kubestencil.targets import generate_files
from kubestencil.targets.languages.modules import module_names
from kubestencil.targets.model.values import make_model
from tests.conftest import SOME_RELEASES, load, make_release

META = "io.k8s.apimachinery.pkg.apis.meta.v1"


def kind(group: str, version: str, name: str) -> dict[str, Any]:
    return {
        "x-kubernetes-group-version-kind": [
            {"group": group, "version": version, "kind": name}
        ]
    }


def module(definitions: dict[str, Any], name: str) -> str:
    group, version = module_names(make_release(definitions).definitions)[name]
    return f"{group}/{version}"


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        ("io.k8s.api.core.v1.Pod", kind("", "v1", "Pod"), "core/v1"),
        ("io.k8s.api.core.v1.PodSpec", {}, "core/v1"),
        (
            "io.k8s.api.rbac.v1.Role",
            kind("rbac.authorization.k8s.io", "v1", "Role"),
            "rbac.authorization.k8s.io/v1",
        ),
        ("io.k8s.api.rbac.v1.Role", {}, "rbac/v1"),
        (f"{META}.APIGroup", kind("", "v1", "APIGroup"), "meta/v1"),
        ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", {}, "meta/v1"),
        ("io.k8s.apimachinery.pkg.api.resource.Quantity", {}, "meta/v1"),
        ("io.k8s.apimachinery.pkg.runtime.RawExtension", {}, "meta/v1"),
        ("com.example.v1.Foo", kind("example.com", "v1", "Foo"), "example.com/v1"),
        # A version of a custom resource may be any name that is a folder's, too.
        (
            "com.example.2024-01.Foo",
            kind("example.com", "2024-01", "Foo"),
            "example.com/2024-01",
        ),
        # Nothing that could leave a folder is a name.
        ("com.example.v1.Foo", kind("../..", "v1", "Foo"), "example/v1"),
        ("com.example.v1.Foo", kind("a/b", "v1", "Foo"), "example/v1"),
        ("com.example.v1.Foo", kind('"\n', "v1", "Foo"), "example/v1"),
        # A kind of another version than its package does not name the package.
        ("com.example.v1.Foo", kind("other.com", "v2", "Foo"), "example/v1"),
        ("com.example.Foo", {}, "example/unversioned"),
        ("v1.Foo", {}, "core/v1"),
        ("Foo", {}, "core/unversioned"),
    ],
)
def test_a_definition_is_in_the_module_of_its_group_and_version(
    name: str, schema: dict[str, Any], expected: str
) -> None:
    assert module({name: schema}, name) == expected


def test_all_definitions_of_a_package_are_in_one_module() -> None:
    definitions = {
        "io.k8s.api.rbac.v1.Subject": {},
        "io.k8s.api.rbac.v1.Role": kind("rbac.authorization.k8s.io", "v1", "Role"),
    }
    assert module(definitions, "io.k8s.api.rbac.v1.Subject") == (
        "rbac.authorization.k8s.io/v1"
    )


@pytest.mark.parametrize("name", SOME_RELEASES)
def test_every_definition_of_a_release_is_in_one_group_and_version(name: str) -> None:
    model = make_model(load(name))
    members = [
        definition.name
        for group_version in model.group_versions
        for definition in group_version.definitions
    ]
    assert sorted(members) == sorted(load(name).definitions)
    assert [group.name for group in model.groups] == sorted(
        {definition.group for definition in model.definitions}
    )
    api_versions = {
        definition.served_kind.api_version
        for definition in model.definitions
        if definition.served_kind
    }
    names = {group_version.name for group_version in model.group_versions}
    assert {name if "/" in name else f"core/{name}" for name in api_versions} <= names
    assert names - api_versions == {"core/v1", "meta/v1"}


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    """Languages that forbid circular imports can have a module for each."""
    imports = {
        group_version.name: {other.name for other in group_version.imports}
        for group_version in make_model(load("1.35")).group_versions
    }
    assert imports["meta/v1"] == set()
    assert imports["core/v1"] == {"meta/v1"}
    assert all(names <= {"core/v1", "meta/v1"} for names in imports.values())


def test_a_model_has_the_links_and_values_of_the_document() -> None:
    model = make_model(load("1.35"))
    deployment = model.definition("io.k8s.api.apps.v1.Deployment")
    assert deployment is not None
    assert (deployment.group, deployment.version, deployment.kind) == (
        "apps",
        "v1",
        "Deployment",
    )
    assert deployment.served_kind is not None
    assert deployment.served_kind.api_version == "apps/v1"
    fields = {field.name: field for field in deployment.fields}
    spec = fields["spec"].reference
    assert spec is not None
    assert spec.name == "io.k8s.api.apps.v1.DeploymentSpec"
    assert spec in deployment.references
    assert deployment in spec.referrers
    assert spec.group_version is deployment.group_version
    assert {field.name for field in spec.fields if field.required} == {
        "selector",
        "template",
    }
    pods = model.definition("io.k8s.api.core.v1.PodSpec")
    assert pods is not None
    (containers,) = (field for field in pods.fields if field.name == "containers")
    assert containers.type == "array"
    assert containers.items is not None
    assert containers.items.reference is not None
    assert containers.items.reference.kind == "Container"
    assert (containers.list_type, containers.list_map_keys) == ("map", ("name",))
    assert (containers.patch_strategy, containers.patch_merge_key) == (
        ("merge",),
        "name",
    )
    assert containers.keywords["x-kubernetes-list-type"] == "map"
    (selector,) = (field for field in pods.fields if field.name == "nodeSelector")
    assert selector.values is not None
    assert (selector.values.type, selector.map_type) == ("string", "atomic")
    (account,) = (field for field in pods.fields if field.name == "serviceAccount")
    assert account.is_deprecated
    pod_list = model.definition("io.k8s.api.core.v1.PodList")
    assert pod_list is not None
    assert pod_list.list_item is model.definition("io.k8s.api.core.v1.Pod")
    assert model.definition("io.k8s.api.core.v1.Pots") is None


@pytest.mark.parametrize("name", SOME_RELEASES)
def test_kinds_that_the_api_server_warns_of_are_deprecated(name: str) -> None:
    release = load(name)
    definitions = make_model(release).definitions
    deprecated = {
        definition.served_kind for definition in definitions if definition.is_deprecated
    }
    warned_of = {kind for kind, item in release.resources.items() if item.deprecated}
    assert warned_of
    assert warned_of <= deprecated
    assert len(deprecated) < len(definitions) / 10


def test_fields_have_the_defaults_of_the_api_server() -> None:
    fields = {
        (definition.kind, field.name): field
        for definition in make_model(load("1.35")).definitions
        for field in definition.fields
    }
    port = fields["ContainerPort", "protocol"]
    assert (port.has_default, port.default) == (True, "TCP")
    image = fields["Container", "image"]
    assert (image.has_default, image.default) == (False, None)
    assert sum(field.has_default for field in fields.values()) > 100


def test_fields_that_cannot_change_have_their_kinds() -> None:
    fields = {
        (definition.kind, field.name): [kind.kind for kind in field.immutable_in]
        for definition in make_model(load("1.35")).definitions
        for field in definition.fields
    }
    assert fields["DeploymentSpec", "selector"] == ["Deployment"]
    assert fields["JobSpec", "template"] == ["Job"]
    assert fields["Secret", "type"] == ["Secret"]
    assert fields["DeploymentSpec", "replicas"] == []
    assert fields["PersistentVolumeSpec", "csi"] == ["PersistentVolume"]


def test_kinds_and_fields_have_their_stage_and_releases() -> None:
    model = make_model(load("1.35"))
    policy = model.definition(
        "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicy"
    )
    assert policy is not None
    assert (policy.stage, policy.added_in, policy.deprecated_in, policy.removed_in) == (
        *("alpha", "1.32", "1.35", None),
    )
    pod = model.definition("io.k8s.api.core.v1.Pod")
    assert pod is not None
    assert (pod.stage, pod.added_in, pod.removed_in, pod.gate) == (
        *("stable", "1.0", None, None),
    )
    fields = {row.path: row.field for row in pod.field_paths()}
    hostname = fields["spec.hostnameOverride"]
    assert hostname.gate is not None
    assert (hostname.gate.gate, hostname.gate.stage, hostname.gate.enabled) == (
        *("HostnameOverride", "beta", True),
    )
    assert (hostname.added_in, hostname.removed_in) == ("1.34", None)
    assert fields["metadata.name"].gate is None
    flows = make_model(load("1.29")).definition(
        "io.k8s.api.flowcontrol.v1beta3.FlowSchema"
    )
    assert flows is not None
    assert flows.replacement is not None
    assert flows.replacement.api_version == "flowcontrol.apiserver.k8s.io/v1"
    of_cluster = make_model(make_release({"a.v1.B": kind("a.com", "v1", "B")}))
    (custom,) = of_cluster.definitions
    assert (custom.added_in, custom.gate, custom.replacement) == (None, None, None)


def test_kinds_have_their_resource_operations_and_examples() -> None:
    model = make_model(load("1.35"))
    pod = model.definition("io.k8s.api.core.v1.Pod")
    assert pod is not None
    assert pod.resource is not None
    assert (pod.resource.plural, pod.resource.short_names) == ("pods", ("po",))
    columns = {column.name: column.priority for column in pod.resource.printer_columns}
    assert (columns["Restarts"], columns["Nominated Node"]) == (0, 1)
    assert {item.name for item in pod.resource.subresources} >= {"log", "status"}
    (listing,) = (
        item for item in pod.operations if item.name == "listCoreV1NamespacedPod"
    )
    assert (listing.method, listing.verb) == ("get", "list")
    assert listing.path == "/api/v1/namespaces/{namespace}/pods"
    parameters = {item.name: item for item in listing.parameters}
    assert (parameters["namespace"].location, parameters["limit"].type) == (
        *("path", "integer"),
    )
    assert parameters["continue"].description == ""
    (answer,) = (item.schema for item in listing.responses if item.code == "200")
    assert answer is not None
    assert answer.reference is model.definition("io.k8s.api.core.v1.PodList")
    assert len(model.operations) > 800
    assert pod.example["metadata"]["name"]
    assert pod.full_example["spec"].keys() > pod.example["spec"].keys()
    spec = model.definition("io.k8s.api.core.v1.PodSpec")
    assert spec is not None
    assert (spec.resource, spec.operations, spec.example) == (None, (), None)


def test_paths_are_those_of_users_and_bounded() -> None:
    schema = {"type": "object", "properties": {"a": ref("B"), "b": ref("B")}}
    leaf = {"type": "object", "properties": {"c": {"type": "string"}}}
    names = ["A", *"BCDEFGHIJKLMNOPQRS"]
    definitions = {
        f"x.v1.{name}": json.loads(json.dumps(schema).replace("v1.B", f"v1.{after}"))
        for name, after in pairwise(names)
    }
    model = make_model(make_release({**definitions, "x.v1.S": leaf}))
    top = model.definition("x.v1.A")
    assert top is not None
    paths = [row.path for row in top.field_paths(max_depth=2)]
    assert paths == ["a", "a.a", "a.b", "b", "b.a", "b.b"]
    with pytest.raises(SpecError, match="more than 100,000 paths"):
        list(top.field_paths())
    chain = {
        f"x.v1.T{number}": {"properties": {"a": ref(f"T{(number + 1) % 3000}")}}
        for number in range(3000)
    }
    first = make_model(make_release(chain)).definition("x.v1.T0")
    assert first is not None
    assert len(list(first.field_paths())) == 200
    validation = make_model(load("1.35")).definition(
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
        "CustomResourceDefinition"
    )
    assert validation is not None
    assert "spec.versions.schema.openAPIV3Schema.items" in {
        row.path for row in validation.field_paths()
    }


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/x.v1.{name}"}


def test_kinds_of_every_group_are_served_as_none_in_particular() -> None:
    options = make_model(load("1.35")).definition(f"{META}.DeleteOptions")
    assert options is not None
    assert len(options.kinds) > 10
    assert options.served_kind is None


def test_definitions_on_a_cycle_are_marked() -> None:
    on_cycle = {
        definition.kind
        for definition in make_model(load("1.35")).definitions
        if definition.is_on_cycle
    }
    assert "JSONSchemaProps" in on_cycle
    assert "Pod" not in on_cycle


def test_values_cannot_be_changed() -> None:
    definition = make_model(load("1.35")).definitions[0]
    with pytest.raises(AttributeError):
        definition.name = "x"  # type: ignore[misc]


def test_versions_are_sorted_as_kubernetes_prefers_them() -> None:
    (group,) = (
        group
        for group in make_model(load("1.35")).groups
        if group.name == "resource.k8s.io"
    )
    versions = [version.version for version in group.versions]
    assert versions == ["v1", "v1beta2", "v1beta1", "v1alpha3"]


@pytest.mark.parametrize(
    "description",
    [
        "Deprecated: use something else.",
        "Represents a share. Deprecated: it is not served any more.",
        "Represents a share.\n\nDEPRECATED: it is not served any more.",
        'Sets this to "Proposed" Deprecated: see the conditions.',
        "Deprecated. Not all kubelets will set this field.",
        "A source for the Node. This API is deprecated since 1.22.",
        "The field is never populated, and now is deprecated.",
        "DeprecatedServiceAccount is a deprecated alias for ServiceAccountName.",
        "deprecatedCount is the deprecated field assuring backward compatibility.",
        "name is the name of a dataset and should be considered as deprecated",
    ],
)
def test_a_description_calls_its_subject_deprecated(description: str) -> None:
    assert deprecation(description)


@pytest.mark.parametrize(
    "description",
    [
        "",
        "Valid options are Retain, Delete and Recycle (deprecated).",
        'The "kubernetes.io/enforce" annotation is deprecated since v1.32.',
        "Even though the annotation is officially deprecated, it is read.",
        "deprecated indicates this version of the custom resource is deprecated.",
        "deprecationWarning overrides the default warning.",
        "* FQDN: a domain name. (Deprecated) The controller ignores it.",
    ],
)
def test_a_description_mentions_something_else_that_is_deprecated(
    description: str,
) -> None:
    assert not deprecation(description)


def target(folder: Path, path: str, each: str, template: str) -> Target:
    (folder / "mine").mkdir()
    (folder / "mine" / "a.j2").write_text(template)
    (folder / "mine" / "target.toml").write_text(
        f'about = "A test"\nview = "model"\n'
        f'[[files]]\neach = "{each}"\npath = "{path}"\ntemplate = "a.j2"\n'
    )
    return load_targets(folder)["mine"]


def generated(document: Release, of: Target) -> dict[str, str]:
    return {file.path: file.data.decode() for file in generate_files(document, of)}


@pytest.mark.parametrize(
    ("each", "path", "template", "expected"),
    [
        (
            "definition",
            "{group}/{version}/{kind|snake}.txt",
            "{{ definition.name }}",
            {
                "apps/v1/replica_set.txt": "io.k8s.api.apps.v1.ReplicaSet",
                "apps/v1/scale.txt": "io.k8s.api.apps.v1.Scale",
            },
        ),
        (
            "kind",
            "{kind|lower}-{api_version}.txt",
            "{{ definition.served_kind.api_version }}",
            {"replicaset-apps-v1.txt": "apps/v1"},
        ),
        (
            "group-version",
            "{group}-{version}",
            '{{ group_version.definitions | map(attribute="kind") | join(",") }}',
            {"apps-v1": "ReplicaSet,Scale"},
        ),
        ("group", "{group}", "{{ group.versions[0].name }}", {"apps": "apps/v1"}),
        (
            "release",
            "{release}",
            "{{ model.name }} {{ model.definitions | length }} {{ types.a }}",
            {"test": "test 2 b"},
        ),
    ],
)
def test_a_file_is_generated_for_each(
    tmp_path: Path, each: str, path: str, template: str, expected: dict[str, str]
) -> None:
    document = make_release(
        {
            "io.k8s.api.apps.v1.ReplicaSet": kind("apps", "v1", "ReplicaSet"),
            "io.k8s.api.apps.v1.Scale": {},
        }
    )
    manifest = target(tmp_path, path, each, template)
    (tmp_path / "mine" / "target.toml").write_text(
        (tmp_path / "mine" / "target.toml").read_text() + '[types]\na = "b"\n'
    )
    manifest = load_targets(tmp_path)["mine"]
    assert generated(document, manifest) == expected


def test_a_macro_recurses_over_a_schema(tmp_path: Path) -> None:
    template = (
        "{% macro type(schema) %}"
        "{% if schema.reference %}{{ schema.reference.kind }}"
        "{% elif schema.items %}[{{ type(schema.items) }}]"
        "{% elif schema.values %}map {{ type(schema.values) }}"
        "{% else %}{{ schema.type }}{% endif %}{% endmacro %}"
        "{% for field in definition.fields %}{{ field.name }} {{ type(field) }};"
        "{% endfor %}"
    )
    document = make_release(
        {
            "v1.A": {
                "properties": {
                    "lists": {
                        "type": "array",
                        "items": {
                            "additionalProperties": {"$ref": "#/definitions/v1.A"}
                        },
                    },
                    "text": {"type": "string"},
                }
            }
        }
    )
    files = generated(document, target(tmp_path, "{kind}", "definition", template))
    assert files == {"A": "lists [map A];text string;"}


def test_two_definitions_of_one_group_version_and_kind_are_refused(
    tmp_path: Path,
) -> None:
    document = make_release(
        {f"{META}.Info": {}, "io.k8s.apimachinery.pkg.version.Info": {}}
    )
    with pytest.raises(SpecError, match="two definitions are called Info in meta/v1"):
        generated(document, target(tmp_path, "{name}", "definition", ""))


def test_two_names_that_are_generated_alike_are_refused_where_declared(
    tmp_path: Path,
) -> None:
    document = make_release({"v1.A-b": {}, "v1.A_b": {}})
    template = (
        "{% for definition in group_version.definitions %}"
        "{{ declare(definition.kind | identifier, definition.name) }} {% endfor %}"
    )
    of = target(tmp_path, "{group}", "group-version", template)
    with pytest.raises(
        SpecError, match=r"v1\.A-b and v1\.A_b are both declared as A_b"
    ):
        generated(document, of)
    assert generated(
        make_release({"v1.A-b": {}, "v2.A_b": {}}), of_path(of, "{version}")
    ) == {
        "v1": "A_b ",
        "v2": "A_b ",
    }


def of_path(of: Target, path: str) -> Target:
    manifest = of.manifest
    manifest.write_text(
        manifest.read_text().replace('path = "{group}"', f'path = "{path}"')
    )
    return load_targets(manifest.parent.parent)[of.name]


@pytest.mark.parametrize(
    ("more", "message", "key"),
    [
        ("[spelling]\na = 1", "is not read by this view", "spelling.a"),
        ("[types]\na = 1", "must be a string", "types.a"),
        ("[quirks.a]\nreason = 'x'", "is a quirk that the view does not", "quirks.a"),
    ],
)
def test_a_manifest_has_nothing_that_the_view_does_not_read(
    tmp_path: Path, more: str, message: str, key: str
) -> None:
    of = target(tmp_path, "{name}", "definition", "")
    of.manifest.write_text(f"{of.manifest.read_text()}\n{more}\n")
    with pytest.raises(TargetError, match=message) as caught:
        generated(make_release({"v1.A": {}}), load_targets(tmp_path)["mine"])
    assert caught.value.where.endswith(key)
