"""CustomResourceDefinitions: what kube-apiserver serves for them, named inline objects,
and clear errors for what is not one."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.errors import SourceError, SpecError
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.custom_resources.structural import StructuralSchemas
from kubestencil.schema.documents.inline import name_inline_objects
from kubestencil.schema.load import load_release
from kubestencil.schema.types import PrinterColumn
from kubestencil.source.inputs import read_location
from kubestencil.targets.languages.python.spelling import class_names
from tests.conftest import Command, make_document, read_output
from tests.conftest import load as conftest_load
from tests.crd_schemas import definition, version


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_TEXT = {"type": "string"}
_ISSUER = {"description": "Who signs.", "required": ["name"], **fields(name=_TEXT)}
_PORT = {"x-kubernetes-int-or-string": True}
_SPEC = fields(
    size={"type": "integer", "format": "int32"},
    mode={"type": "string", "enum": ["A", "B"]},
    issuerRef=_ISSUER,
    ports={"type": "array", "items": fields(port=_PORT)},
)
_ROOT = {"description": "A widget.", "required": ["spec"], **fields(spec=_SPEC)}
WIDGET = definition(
    "Widget",
    version("v1", _ROOT, storage=True),
    {"name": "v1alpha1", "served": False, "storage": False},
)
PACKAGE = "com.example.v1"


def write(folder: Path, *objects: Any, name: str = "crds.yaml") -> Path:
    path = folder / name
    path.write_text(yaml.safe_dump_all(objects, sort_keys=False))
    return path


def load(path: Path, *, unserved: bool = False) -> Release:
    return load_release(read_location(str(path), None, unserved=unserved))


def test_a_crd_has_the_definitions_that_the_api_server_serves(tmp_path: Path) -> None:
    release = load(write(tmp_path, WIDGET))
    assert release.name == "crds"
    kind = release.definitions[f"{PACKAGE}.Widget"]
    assert [field.name for field in kind.fields] == [
        "spec",
        "apiVersion",
        "kind",
        "metadata",
    ]
    assert kind.kinds[0].api_version == "example.com/v1"
    assert kind.description == "A widget."
    listed = release.definitions[f"{PACKAGE}.WidgetList"]
    items = next(field for field in listed.fields if field.name == "items")
    assert items.required
    assert items.schema.items is not None
    assert items.schema.items.ref == f"{PACKAGE}.Widget"
    # What is referred to is there, and no other kind.
    assert "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" in release.definitions
    assert "io.k8s.api.core.v1.Pod" not in release.definitions


def test_a_crd_says_how_its_kind_is_served(tmp_path: Path) -> None:
    crd = copy.deepcopy(WIDGET)
    crd["spec"]["names"] |= {"shortNames": ["wd"], "categories": ["all"]}
    crd["spec"]["versions"][0] |= {
        "deprecated": True,
        "deprecationWarning": "use v2",
        "subresources": {"status": {}, "scale": {}},
        "selectableFields": [{"jsonPath": ".spec.mode"}],
        "additionalPrinterColumns": [
            {"name": "Mode", "type": "string", "jsonPath": ".spec.mode", "priority": 1}
        ],
    }
    release = load(write(tmp_path, crd), unserved=True)
    alpha, served = sorted(release.resources.values(), key=lambda value: value.served)
    assert (alpha.kind.version, alpha.storage, alpha.deprecated) == (
        "v1alpha1",
        False,
        False,
    )
    assert served.kind.api_version == "example.com/v1"
    assert served.api_path == "/apis/example.com/v1"
    assert (served.plural, served.singular, served.namespaced) == (
        "widgets",
        "widget",
        True,
    )
    assert (served.short_names, served.categories) == (("wd",), ("all",))
    assert "deletecollection" in served.verbs
    assert [(value.name, value.kind) for value in served.subresources] == [
        ("scale", GroupVersionKind("autoscaling", "v1", "Scale")),
        ("status", None),
    ]
    assert served.printer_columns == (
        PrinterColumn("Mode", "string", ".spec.mode", priority=1),
    )
    assert served.selectable_fields == ("spec.mode",)
    assert (served.storage, served.deprecation_warning) == (True, "use v2")


def test_inline_objects_become_definitions_named_by_kind_and_field(
    tmp_path: Path,
) -> None:
    definitions = load(write(tmp_path, WIDGET)).definitions
    names = [name for name in definitions if name.startswith(PACKAGE)]
    assert names == [
        f"{PACKAGE}.Widget",
        f"{PACKAGE}.WidgetSpec",
        f"{PACKAGE}.WidgetSpecIssuerRef",
        f"{PACKAGE}.WidgetSpecPorts",
        f"{PACKAGE}.WidgetList",
    ]
    spec = {field.name: field for field in definitions[f"{PACKAGE}.WidgetSpec"].fields}
    reference = spec["issuerRef"].schema
    assert (reference.ref, reference.description) == (
        f"{PACKAGE}.WidgetSpecIssuerRef",
        "Who signs.",
    )
    items = spec["ports"].schema.items
    assert items is not None
    assert items.ref == f"{PACKAGE}.WidgetSpecPorts"
    assert spec["mode"].schema.enum == ("A", "B")


def test_names_that_collide_are_numbered_in_the_order_of_the_document() -> None:
    alias = {"type": "object", "properties": {"ip": {"type": "string"}}}
    definitions = {
        "a.v1.A": {
            "type": "object",
            "properties": {
                "hostAliases": alias,
                "host_aliases": alias,
                "HostAliases": alias,
                # Files of both would be one file on some systems.
                "hostaliases": alias,
            },
        }
    }
    named = name_inline_objects(definitions).definitions
    kind, first, *others = named
    assert (kind, first) == ("a.v1.A", "a.v1.AHostAliases")
    spelled = ("HostAliases", "HostAliases", "Hostaliases")
    for name, plain in zip(others, spelled, strict=True):
        assert re.fullmatch(rf"a\.v1\.A{plain}_[0-9a-f]{{4}}", name)
    assert [value["$ref"] for value in named["a.v1.A"]["properties"].values()] == [
        f"#/definitions/{name}" for name in (first, *others)
    ]


def test_names_that_collide_are_reported(run: Command, tmp_path: Path) -> None:
    """With the position in the file of the second object."""
    alias = {"type": "object", "properties": {"ip": {"type": "string"}}}
    spec = {"hostAliases": alias, "host_aliases": alias}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": spec}},
    }
    write(tmp_path, change(SCHEMA, schema))
    done = run("render", "--crds", "crds.yaml", "-t", "typescript")
    assert (
        f"note: crds.yaml:1#/{SCHEMA}/properties/spec/properties/host_aliases: the type "
        "is called WidgetSpecHostAliases_7223, since WidgetSpecHostAliases is another one"
    ) in done.stderr
    kind = {"group": "example.com", "version": "v1", "kind": "Widget"}
    served = schema | {"x-kubernetes-group-version-kind": [kind]}
    document = json.dumps(make_document({f"{PACKAGE}.Widget": served}))
    done = run("render", "live", "--spec", "-", "-t", "typescript", stdin=document)
    assert (
        f"#/definitions/{PACKAGE}.Widget/properties/spec/properties/host_aliases: the "
        "type is called WidgetSpecHostAliases_7223"
    ) in done.stderr


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-be"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("dump", [yaml.safe_dump, json.dumps])
def test_files_of_other_systems_are_read(
    dump: Callable[[Any], str], newline: str, encoding: str, tmp_path: Path
) -> None:
    """``kubectl get crds -o yaml > crds.yaml`` in PowerShell writes UTF-16."""
    text = f"{dump(WIDGET)}\n".replace("\n", newline)
    mark = "\ufeff" if encoding.endswith("be") else ""
    path = tmp_path / "crds.yaml"
    path.write_bytes(f"{mark}{text}".encode(encoding))
    assert f"{PACKAGE}.WidgetSpec" in load(path).definitions


def test_a_long_path_has_a_name_that_fits_into_a_file_name() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"end": {"type": "string"}},
    }
    for _ in range(40):
        schema = {"type": "object", "properties": {"aLongFieldName": schema}}
    named = name_inline_objects({"com.example.v1.Kind": schema}).definitions
    kinds = [name.rpartition(".")[2] for name in named]
    assert len(set(kinds)) == 41
    assert max(map(len, kinds)) <= 150


def test_the_version_of_a_kind_may_be_any_label(run: Command, tmp_path: Path) -> None:
    """API servers accept them all; the last part of a package is a version where a kind
    says so, also for the objects inside of it."""
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    names = ["type", "class", "watch"]
    versions = [version(name, schema, storage=name == "type") for name in names]
    path = write(tmp_path, definition("Tool", *versions))
    definitions = load(path).definitions
    for name in names:
        assert definitions[f"com.example.{name}.Tool"].version == name
        assert definitions[f"com.example.{name}.ToolSpec"].version == name
    done = run(
        "render", "--crds", str(path), "-t", "site", "-t", "python-client", "-o", "out"
    )
    assert done.returncode == 0, done.stderr


def test_versions_that_are_not_served_are_added_on_demand(tmp_path: Path) -> None:
    path = write(tmp_path, WIDGET)
    assert "com.example.v1alpha1.Widget" not in load(path).definitions
    added = load(path, unserved=True).definitions["com.example.v1alpha1.Widget"]
    # It has no schema: the API server keeps every field.
    assert added.schema.preserves_unknown_fields


def test_lists_folders_and_json_are_read_and_other_kinds_passed_over(
    tmp_path: Path,
) -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    (tmp_path / "crds").mkdir()
    write(tmp_path / "crds", other, {"kind": "List", "items": [WIDGET]}, name="a.yaml")
    second = json.loads(json.dumps(WIDGET).replace("idget", "adget"))
    (tmp_path / "crds" / "b.json").write_text(json.dumps(second))
    (tmp_path / "crds" / "notes.txt").write_text("not read")
    definitions = load(tmp_path / "crds").definitions
    assert {f"{PACKAGE}.Widget", f"{PACKAGE}.Wadget"} <= definitions.keys()


def test_empty_keywords_are_dropped_as_the_api_server_does() -> None:
    schema = {
        "type": "object",
        "description": "",
        "nullable": False,
        "properties": {},
        "additionalProperties": {"type": "string", "default": "", "required": []},
        "anyOf": [{"required": ["a"], "nullable": False}],
    }
    assert StructuralSchemas("", {}).read_schema(schema, ("spec", None), 0) == {
        "type": "object",
        "additionalProperties": {"type": "string", "default": ""},
        "anyOf": [{"required": ["a"], "nullable": False}],
    }


def test_unknown_keywords_of_equal_schemas_are_counted_one_by_one(
    tmp_path: Path,
) -> None:
    crd = copy.deepcopy(WIDGET)
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    field = {"type": "string", "x-new": "1"}
    schema["properties"]["more"] = {
        "type": "object",
        "properties": {"a": field, "b": dict(field)},
    }
    (keyword,) = load(write(tmp_path, crd)).unknown_keywords
    assert (keyword.keyword, keyword.count) == ("x-new", 2)


def test_an_int_or_string_says_its_types_beside_other_conditions() -> None:
    types = [{"type": "integer"}, {"type": "string"}]
    extension = {"x-kubernetes-int-or-string": True}
    read = StructuralSchemas("", {}).read_schema
    for given, expected in (
        ({}, {"anyOf": types}),
        ({"anyOf": types}, {"anyOf": types}),
        ({"allOf": [{"anyOf": types}]}, {"allOf": [{"anyOf": types}]}),
        (
            {"anyOf": [{"minimum": 1}], "allOf": [{"maximum": 5}]},
            {
                "anyOf": [{"minimum": 1}],
                "allOf": [{"anyOf": types}, {"maximum": 5}],
            },
        ),
    ):
        assert read({**extension, **given}, ("spec", None), 0) == {
            **extension,
            **expected,
        }


def test_v1beta1_has_one_schema_for_all_versions(tmp_path: Path) -> None:
    spec = WIDGET["spec"]
    old = {
        **WIDGET,
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "spec": {
            **{key: spec[key] for key in ("group", "scope", "names")},
            "version": "v1",
            "validation": spec["versions"][0]["schema"],
        },
    }
    definitions = load(write(tmp_path, old)).definitions
    assert f"{PACKAGE}.WidgetSpecIssuerRef" in definitions


def test_a_crd_in_a_group_of_k8s_io_renames_no_built_in_class(tmp_path: Path) -> None:
    """A kind Service in such a group would be another V1Service."""
    text = json.dumps(WIDGET).replace("example.com", "net.k8s.io")
    service = json.loads(text.replace('"Widget"', '"Service"'))
    write(tmp_path, service)
    names = [
        *conftest_load("1.35").definitions,
        *load(tmp_path / "crds.yaml").definitions,
    ]
    classes = class_names(names)
    assert classes["io.k8s.api.core.v1.Service"] == "V1Service"
    assert classes["io.k8s.net.v1.Service"] == "IoK8sNetV1Service"


# Files that list all that there is.
LISTINGS = {
    "jsonnet/gen.libsonnet",
    "jsonschema/v1.35.0-editor/all.json",
    "python/kubernetes_models/__init__.py",
    "python/kubernetes_models/__init__.pyi",
    "python/kubernetes_models/_kinds.py",
    "rust/src/api/mod.rs",
    "rust/src/lib.rs",
    "typescript/index.d.ts",
    "typescript/index.js",
    "website/_index.md",
    "website/definitions/_index.md",
    "website/group-versions.md",
}


@pytest.mark.nightly
def test_a_crd_of_a_built_in_kind_changes_no_built_in_file(
    run: Command, tmp_path: Path
) -> None:
    """It is called Service, in a group of k8s.io: no type is renamed in any target."""
    crd = change("spec/names", {"plural": "services", "kind": "Service"})
    crd["spec"]["group"] = "serving.k8s.io"
    write(tmp_path, crd)
    targets = [
        f"--target={name}"
        for name in (
            "jsonnet", "jsonnet-docs", "jsonschema", "markdown", "markdown-v4",
            "markdown-v5", "python", "rust", "typescript", "website",
        )
    ]  # fmt: skip
    render = ("render", "1.35", "--kind", "Service", *targets, "-q", "-o")
    for options in (("plain",), ("custom", "--crds", "crds.yaml")):
        done = run(*render, *options)
        assert done.returncode == 0, done.stderr
    plain, custom = (
        read_output(tmp_path / name / "1.35") for name in ("plain", "custom")
    )
    changed = {path for path in plain if custom.get(path) != plain[path]}
    readmes = {path for path in plain if path.endswith("/README.md")}
    assert changed - readmes == LISTINGS
    added = {path.partition("/")[0] for path in custom.keys() - plain.keys()}
    assert len(added) == len(targets)


def test_crds_are_added_to_a_release(run: Command, tmp_path: Path) -> None:
    """And no name of the release changes because they are there."""
    write(tmp_path, WIDGET)
    plain = ("render", "1.35", "-t", "typescript", "-o")
    assert run(*plain, "without").returncode == 0
    done = run(*plain, "with", "--crds", "crds.yaml")
    assert done.returncode == 0, done.stderr
    before = {
        path.relative_to(tmp_path / "without"): path
        for path in (tmp_path / "without").rglob("*.ts")
    }
    added = tmp_path / "with"
    changed = [
        path.name
        for path, file in before.items()
        if (added / path).read_bytes() != file.read_bytes()
    ]
    assert changed == ["index.ts"] or changed == ["index.d.ts"]
    text = "\n".join(path.read_text() for path in added.rglob("*.ts"))
    assert "WidgetSpecIssuerRef" in text


def change(path: str, value: Any) -> dict[str, Any]:
    """WIDGET with a value at a path of keys and indexes; None removes it."""
    result: dict[str, Any] = json.loads(json.dumps(WIDGET))
    place: Any = result
    *parents, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return result


SCHEMA = "spec/versions/0/schema/openAPIV3Schema"
SPEC = f"{SCHEMA}/properties/spec"
SIZE, PORTS = (f"{SPEC}/properties/{name}" for name in ("size", "ports"))
DEEP: dict[str, Any] = {"type": "object"}
for _ in range(120):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


#: What is put in a place of WIDGET, and the mistake; None removes what is there.
MISTAKES: list[tuple[str, Any, str]] = [
    ("spec", None, "is missing"),
    ("spec/group", None, "is missing"),
    ("spec/group", "../../etc", "not a valid name"),
    ("spec/names/kind", "a b", "not a valid name"),
    ("spec/names/kind", 'x"); --', "not a valid name"),
    ("spec/scope", "Galaxy", "Namespaced or Cluster"),
    ("spec/versions", [], "list of versions"),
    ("spec/versions/1/name", "v1", "is duplicated"),
    ("apiVersion", "example.com/v1", "unknown apiVersion"),
    (SCHEMA, [], "must be an object"),
    (f"{SCHEMA}/type", "string", "object at the root"),
    (f"{SIZE}/type", None, "has no type"),
    (f"{SPEC}/$ref", "#/x", "not allowed"),
    (f"{SPEC}/additionalProperties", _TEXT, "not allowed beside properties"),
    (f"{SIZE}/anyOf", [{"additionalProperties": {}}], "may not stand inside of anyOf"),
    (f"{PORTS}/x-kubernetes-list-type", "bag", "must be atomic, set or map"),
    (f"{PORTS}/x-kubernetes-list-type", "map", "is missing beside x-kubernetes-list"),
    (f"{SIZE}/x-kubernetes-list-type", "set", "must be array beside x-kubernetes-list"),
    (f"{SIZE}/x-kubernetes-map-type", "odd", "must be atomic or granular"),
    (SPEC, DEEP, "nested more than"),
    # What controller-gen writes behind the schema is missing in half a file.
    ("spec/versions/0/served", None, "must be true or false"),
    ("spec/versions/0/storage", "true", "must be true or false"),
]
#: Where the mistakes are that are not in the place that was changed, by their messages.
ELSEWHERE = {
    "is duplicated": "spec/versions/1",
    "has no type": SIZE,
    "may not stand inside of anyOf": f"{SIZE}/anyOf/0/additionalProperties",
    "is missing beside x-kubernetes-list": f"{PORTS}/x-kubernetes-list-map-keys",
    "must be array beside x-kubernetes-list": f"{SIZE}/type",
    "nested more than": SCHEMA,
}


@pytest.mark.parametrize(("path", "value", "message"), MISTAKES)
def test_what_is_no_crd_is_refused_with_file_line_and_pointer(
    path: str, value: Any, message: str, tmp_path: Path
) -> None:
    file = write(tmp_path, {"kind": "Other"}, change(path, value))
    with pytest.raises(SpecError) as error:
        load(file)
    assert message in error.value.what
    pointer = ELSEWHERE.get(message, path)
    assert error.value.where.startswith(f"{file}:2#/{pointer}")


def test_a_root_that_keeps_unknown_fields_needs_no_type(tmp_path: Path) -> None:
    # API servers take it.
    schema = {"x-kubernetes-preserve-unknown-fields": True}
    release = load(write(tmp_path, change(SCHEMA, schema)))
    widget = next(
        d for name, d in release.definitions.items() if name.endswith("Widget")
    )
    assert widget.schema.type == "object"


def test_the_document_of_a_cluster_with_custom_resources_is_read(
    tmp_path: Path,
) -> None:
    """Its patterns are RE2, which the validator of OpenAPI 2.0 refuses, and its inline
    objects are named as those of a CustomResourceDefinition."""
    spec = {
        "type": "object",
        "properties": {"size": {"type": "string", "pattern": "^a(?i)b$"}},
    }
    widget = {
        "type": "object",
        "properties": {"spec": spec},
        "x-kubernetes-group-version-kind": [
            {"group": "example.com", "version": "v1", "kind": "Widget"}
        ],
    }
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(make_document({f"{PACKAGE}.Widget": widget})))
    definitions = load(path).definitions
    assert list(definitions) == [f"{PACKAGE}.Widget", f"{PACKAGE}.WidgetSpec"]


def test_standard_input_is_read_once_for_all_releases(run: Command) -> None:
    text = yaml.safe_dump(WIDGET)
    arguments = ("render", "1.34..1.35", "--crds", "-", "-t", "typescript", "-o", "out")
    done = run(*arguments, stdin=text)
    assert done.returncode == 0, done.stderr
    for release in ("1.34", "1.35"):
        assert (
            run.folder / "out" / release / "typescript/example.com/v1.d.ts"
        ).exists()


def test_crds_are_added_to_those_of_a_file(run: Command, tmp_path: Path) -> None:
    write(tmp_path, WIDGET, name="a.yaml")
    gadget = json.loads(json.dumps(WIDGET).replace("idget", "adget"))
    write(tmp_path, gadget, name="b.yaml")
    done = run(
        *("render", "--spec", "a.yaml", "--crds", "b.yaml"),
        *("-t", "typescript", "-o", "out"),
    )
    assert done.returncode == 0, done.stderr
    module = (tmp_path / "out/a/typescript/example.com/v1.d.ts").read_text()
    assert "interface Widget " in module
    assert "interface Wadget " in module


def test_two_crds_of_one_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"defines com\.example\.v1\.Widget, as .*:\d"):
        load(write(tmp_path, WIDGET, WIDGET))


def test_an_unrendered_template_is_told_to_be_rendered(tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text("kind: CustomResourceDefinition\nspec: {{ .Values.x }}\n  y: 1\n")
    with pytest.raises(SpecError, match="helm template"):
        load(path)


@pytest.mark.parametrize("dump", [yaml.safe_dump, json.dumps])
def test_a_field_may_be_called_openapi_or_swagger(
    dump: Callable[[Any], str], tmp_path: Path
) -> None:
    """The CustomResourceDefinition is not taken for an OpenAPI document."""
    field = {"type": "string", "default": "3.0.0", "description": "openapi: 3.0.0"}
    schema = {"type": "object", "properties": {"openapi": field, "swagger": field}}
    folder = tmp_path / "crds"
    folder.mkdir()
    path = folder / "crds.yaml"
    path.write_text(dump(change(SCHEMA, schema)))
    for location in (path, folder):
        fields = load(location).definitions[f"{PACKAGE}.Widget"].fields
        assert {field.name for field in fields} >= {"openapi", "swagger"}


def test_a_folder_without_crds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no \.yaml, \.yml or \.json file"):
        load(tmp_path)
    write(tmp_path, {"kind": "ConfigMap", "apiVersion": "v1"})
    with pytest.raises(SpecError, match="no CustomResourceDefinition"):
        load(tmp_path)


def test_a_required_that_is_no_list_is_an_error_with_its_pointer() -> None:
    """Of an embedded object, whose required fields the API server completes."""
    schema = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
        "required": 5,
    }
    with pytest.raises(SpecError, match="#/schema/required: must be a list"):
        StructuralSchemas("crd.yaml:1", {}).read(schema, ("schema", None))
