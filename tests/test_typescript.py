"""The target ``typescript``: its files, and that TypeScript's compiler agrees."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.conftest import SOME_RELEASES, full_specs, load, make_release
from tests.test_model_view import kind

DEPLOYMENT = """
import type { Deployment } from "kubernetes-api-types/apps/v1";
import type { coreV1, metaV1 } from "kubernetes-api-types";

const quantity: metaV1.Quantity = 1;
const container: coreV1.Container = {
  name: "web",
  image: "nginx",
  resources: { limits: { cpu: quantity, memory: "1Gi" } },
  livenessProbe: { httpGet: { port: "http" } },
  readinessProbe: { httpGet: { port: 80 } },
};
export const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [container] },
    },
  },
};
export const replicas: number | undefined = deployment.spec.replicas;
"""

KINDS = """
import type { Pod, PodList, Service } from "kubernetes-api-types/core/v1";
import type { Deployment, StatefulSet } from "kubernetes-api-types/apps/v1";

export function describe(object: Pod | Service | Deployment): unknown {
  switch (object.kind) {
    case "Pod":
      return object.spec.containers;
    case "Service":
      return object.spec.clusterIP;
    case "Deployment":
      return object.spec.replicas;
    default:
      return object satisfies never;
  }
}
declare const stored: Pod;
const item: PodList["items"][number] = {
  metadata: { name: "web" },
  spec: { containers: [] },
};
export const pods: PodList = { apiVersion: "v1", kind: "PodList", items: [item, stored] };
export const pod: Pod = { ...item, apiVersion: "v1", kind: "Pod" };
export const templates: StatefulSet["spec"]["volumeClaimTemplates"] = [
  { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: {} } },
];
"""


@cache
def generated(name: str) -> dict[str, str]:
    return generate_package(load(name, full_specs()))


def generate_package(document: Release) -> dict[str, str]:
    target = load_targets(None)["typescript"]
    files = generate_files(document, target)
    return {file.path: file.data.decode() for file in files}


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


class Compiler:
    """TypeScript's compiler, with the generated package installed beside a program."""

    def __init__(self, folder: Path, package: dict[str, str]) -> None:
        self.folder = folder
        self.package = folder / "node_modules" / "kubernetes-api-types"
        write(self.package, package)

    def errors(self, program: str, *options: str) -> str:
        """What the compiler reports of a program; empty if it accepts it."""
        (self.folder / "program.ts").write_text(program)
        return self.run("program.ts", *options)

    def run(self, *arguments: str) -> str:
        options = ["--strict", "--noEmit", "--pretty", "false"]
        if not any("moduleResolution" in argument for argument in arguments):
            options += ["--module", "nodenext", "--moduleResolution", "nodenext"]
        done = subprocess.run(
            ["tsc", *options, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert bool(done.stdout) == bool(done.returncode), done.stderr
        return done.stdout


@pytest.mark.compiler("tsc")
@pytest.mark.parametrize("name", SOME_RELEASES)
def test_the_compiler_accepts_every_release(tmp_path: Path, name: str) -> None:
    compiler = Compiler(tmp_path, generated(name))
    modules = [str(path) for path in compiler.package.rglob("*.d.ts")]
    assert len(modules) > 20
    assert compiler.run("--skipLibCheck", "false", *modules) == ""


@pytest.mark.compiler("tsc")
@pytest.mark.parametrize(
    "options",
    [
        ("--verbatimModuleSyntax", "--isolatedModules"),
        ("--module", "esnext", "--moduleResolution", "bundler"),
    ],
)
def test_a_program_that_builds_a_deployment_is_accepted(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    compiler = Compiler(tmp_path, generated("1.35"))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    assert compiler.errors(DEPLOYMENT, *options) == ""


@pytest.mark.compiler("tsc")
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("matchLabels:", "matchLabel:", "'matchLabel' does not exist in type"),
        ('image: "nginx"', 'imagee: "nginx"', "'imagee' does not exist in type"),
        ("replicas: 2", 'replicas: "2"', "'string' is not assignable to type 'number'"),
        ('"apps/v1",\n', '"apps/v2",\n', "not assignable to type '\"apps/v1\"'"),
        (
            'kind: "Deployment"',
            'kind: "Pod"',
            "not assignable to type '\"Deployment\"'",
        ),
        ("containers: [container]", "", "Property 'containers' is missing"),
        (
            "containers: [container]",
            'containers: [container], restartPolicy: "always"',
            "'\"always\"' is not assignable to type",
        ),
        ("port: 80", "port: true", "'boolean' is not assignable to type 'IntOrString'"),
    ],
)
def test_a_mistake_in_a_program_is_refused(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    assert right in DEPLOYMENT
    errors = Compiler(tmp_path, generated("1.35")).errors(
        DEPLOYMENT.replace(right, wrong)
    )
    assert message in errors


@pytest.mark.compiler("tsc")
def test_a_time_that_was_never_set_is_null(tmp_path: Path) -> None:
    """As API servers send it, in required fields too."""
    compiler = Compiler(tmp_path, generated("1.35"))
    program = """
        import type { Event } from "kubernetes-api-types/events.k8s.io/v1";
        import type { ObjectMeta } from "kubernetes-api-types/meta/v1";
        const metadata: ObjectMeta = { creationTimestamp: null };
        export const event: Event = {
          apiVersion: "events.k8s.io/v1", kind: "Event", metadata, eventTime: null,
          series: { count: 1, lastObservedTime: null },
        };
        export const year: string = event.eventTime.slice(0, 4);
    """
    errors = compiler.errors(program)
    assert "'event.eventTime' is possibly 'null'" in errors
    assert errors.count("error") == 1
    assert "Property 'eventTime' is missing" in compiler.errors(
        program.replace(" eventTime: null,", "")
    )


@pytest.mark.nightly
@pytest.mark.compiler("tsc")
def test_a_union_of_kinds_narrows_and_items_need_no_kind(tmp_path: Path) -> None:
    """API servers send the items of lists without apiVersion and kind."""
    compiler = Compiler(tmp_path, generated("1.35"))
    readme = (compiler.package / "README.md").read_text()
    program = readme.partition("```ts\n")[2].partition("```")[0]
    assert compiler.errors(program) == ""
    assert compiler.errors(KINDS) == ""
    for right, wrong, message in (
        ('kind: "PodList", ', "", "Property 'kind' is missing"),
        ('{ ...item, apiVersion: "v1",', "{ ...item,", "not assignable to type 'Pod'"),
        ("[item, stored]", '[{ kind: "Service" }]', "not assignable to type '\"Pod\"'"),
        ("[item, stored]", "[{ metadata: { nam: 1 } }]", "'nam' does not exist"),
        (
            "object.spec.clusterIP",
            "object.spec.replicas",
            "'replicas' does not exist",
        ),
    ):
        assert message in compiler.errors(KINDS.replace(right, wrong)), wrong


def test_a_deprecated_field_is_marked() -> None:
    module = generated("1.35")["core/v1.d.ts"]
    comment, _, _ = module.partition("  serviceAccount?: string;")
    assert comment.rstrip().endswith("*\n   * @deprecated\n   */")
    comment, _, _ = module.partition("  serviceAccountName?: string;")
    assert not comment.rstrip().endswith("@deprecated\n   */")


def test_kinds_that_the_api_server_warns_of_are_marked() -> None:
    text = generated("1.35")["core/v1.d.ts"]
    comment = text.partition("export interface Endpoints {")[0].rpartition("/**")[2]
    assert comment.rstrip().endswith("* @deprecated\n */")
    comment = text.partition("export interface Pod {")[0].rpartition("/**")[2]
    assert "@deprecated" not in comment


def test_a_module_has_an_interface_for_each_definition() -> None:
    files = generated("1.35")
    target = load("1.35", full_specs())
    modules = "".join(files[path] for path in files if path.endswith("v1.d.ts"))
    for definition in target.definitions.values():
        if definition.version == "v1" and definition.fields:
            assert f"export interface {definition.kind} {{" in modules


def test_the_files_of_each_module_are_exported() -> None:
    files = generated("1.35")
    package = json.loads(files["package.json"])
    assert package["exports"]["."] == {
        "types": "./index.d.ts",
        "default": "./index.js",
    }
    modules = {path.removesuffix(".js") for path in files if path.endswith(".js")}
    assert modules == {
        path.removesuffix(".d.ts") for path in files if path.endswith(".d.ts")
    }


FUNCTIONS = """
import * as assert from "node:assert/strict";
import { apiextensionsK8sIoV1, coreV1, metaV1 } from "kubernetes-api-types";
import { Deployment } from "kubernetes-api-types/apps/v1";
import { Pod, type PodSpec } from "kubernetes-api-types/core/v1";

const spec: PodSpec = { containers: [{ name: "web", image: "nginx" }] };
const pod: Pod = Pod({ metadata: { name: "web" }, spec });
const name: string | undefined = pod.metadata.name;
const containers: string[] = pod.spec.containers.map((container) => container.name);
assert.equal(
  JSON.stringify(pod),
  '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"nginx"}]}}',
);
const stored: Partial<Pod> & Omit<Pod, "apiVersion" | "kind"> = { metadata: {}, spec };
assert.equal(Pod({ ...stored, kind: undefined } as typeof stored).kind, "Pod");
const names: ["apps", "v1", "apps/v1", "Deployment"] = [
  Deployment.group, Deployment.version, Deployment.apiVersion, Deployment.kind,
];
assert.deepEqual(names, ["apps", "v1", "apps/v1", "Deployment"]);
assert.equal(coreV1.Pod.group, "");
assert.equal(apiextensionsK8sIoV1.CustomResourceDefinition.version, "v1");
assert.equal(Object.keys(metaV1).includes("ObjectMeta"), false);
assert.throws(() => Object.assign(Pod, { kind: "Service" }), TypeError);
"""


@pytest.mark.nightly
@pytest.mark.compiler("tsc")
def test_a_function_for_each_kind_makes_its_objects(tmp_path: Path) -> None:
    compiler = Compiler(tmp_path, generated("1.35"))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    node = compiler.folder / "node_modules" / "@types" / "node"
    node.mkdir(parents=True)
    (node / "index.d.ts").write_text('declare module "node:assert/strict";')
    assert compiler.errors(FUNCTIONS, "--types", "node") == ""
    for right, wrong, message in (
        ("metadata: {", 'kind: "Pod", metadata: {', "'kind' does not exist"),
        ('metadata: { name: "web" }, ', "", "Property 'metadata' is missing"),
        (", spec });", " });", "Property 'spec' is missing"),
        ('["apps", "v1",', '["batch", "v1",', "not assignable to type '\"batch\"'"),
    ):
        assert message in compiler.errors(
            FUNCTIONS.replace(right, wrong), "--types", "node"
        )
    (tmp_path / "program.ts").write_text(FUNCTIONS)
    subprocess.run(
        [
            "tsc",
            "--module",
            "nodenext",
            "--types",
            "node",
            "--outDir",
            ".",
            "program.ts",
        ],
        cwd=tmp_path,
        check=True,
    )
    subprocess.run(["node", "program.js"], cwd=tmp_path, check=True)


def test_name_and_version_of_the_package_are_options() -> None:
    options = {"name": "@ours/k8s", "version": "1.35.0"}
    target = load_targets(None)["typescript"].with_options(options)
    files = {file.path: file.data for file in generate_files(load("1.35"), target)}
    package = json.loads(files["package.json"])
    assert (package["name"], package["version"]) == ("@ours/k8s", "1.35.0")
    assert b'from "@ours/k8s/apps/v1"' in files["README.md"]


ODD: dict[str, Any] = {
    "com.example.v1.any": {
        "description": "*/ export const x = 1; /* \u2028 @deprecated",
        "properties": {
            "a-b": {"type": "string", "enum": ["a\n", '"', "b"]},
            "a\"'\\\n": {"type": "integer", "enum": [1, 2]},
            "0": {"type": "array", "items": {"enum": ["a", "b"]}},
            "list": {"type": "array", "items": {"format": "int-or-string"}},
            "map": {"additionalProperties": {"type": "array", "items": {}}},
            "inline": {
                "properties": {"deep": {"properties": {"er": {"type": "boolean"}}}},
                "required": ["deep"],
            },
            "open": {
                "properties": {"a": {"type": "string"}},
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "maybe": {"type": "string", "x-nullable": True},
            "other": {"$ref": "#/definitions/com.other-example.v1.class"},
        },
        "required": ["a-b"],
        **kind("example.com", "v1", "any"),
    },
    "com.other-example.v1.class": {"$ref": "#/definitions/Array"},
    "Array": {
        "type": "object",
        "properties": {"self": {"$ref": "#/definitions/Array"}},
    },
}


@pytest.mark.compiler("tsc")
def test_names_and_texts_of_any_document_are_code(tmp_path: Path) -> None:
    compiler = Compiler(tmp_path, generate_package(make_release(ODD)))
    modules = [str(path) for path in compiler.package.rglob("*.d.ts")]
    assert len(modules) == 5
    assert compiler.run(*modules) == ""
    program = (
        'import type { any_ } from "kubernetes-api-types/example.com/v1";\n'
        'const a: any_ = { "a-b": "a\\n", "a\\"\'\\\\\\n": 2, "0": ["a"], list: [1, "a"], '
        "map: { a: [1] }, inline: { deep: { er: true } }, "
        "open: { b: 1 }, maybe: null, other: { self: {} } };\n"
    )
    assert compiler.errors(program) == ""
    assert "'\"c\"' is not assignable" in compiler.errors(
        program.replace('["a"]', '["c"]')
    )
    assert "export const x" not in "".join(
        line
        for line in generate_package(make_release(ODD))[
            "example.com/v1.d.ts"
        ].splitlines()
        if not line.startswith((" *", "/**"))
    )
