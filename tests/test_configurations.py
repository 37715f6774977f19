"""Configuration files of programs: check refuses what the programs' own strict decoders
of 1.35 and 1.29 refuse, and nothing else; their kinds are in reports, histories, schemas and on the site,
and in no format that others publish."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from kubestencil import compare, history
from kubestencil.engine import load_targets
from kubestencil.errors import UsageError
from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.knowledge.components import flags
from kubestencil.schema.knowledge.configurations import (
    KUSTOMIZE,
    configuration_definitions,
    configuration_kinds,
    configuration_types,
    fields_on_path,
)
from kubestencil.targets import generate_files
from tests.conftest import RELEASES, Command, load

Json = dict[str, Any]
# The releases that tests/configurations is built of.
RELEASE, OLD_RELEASE = "1.35", "1.29"
Definitions = Mapping[str, Mapping[str, Any]]
# That of 1.29 is in no scheme that another program can use.
_PRIVATE_IN_OLD = ("EncryptionConfiguration", "EncryptionConfig")

#: A kubelet's file with one mistake of each sort, and where check finds them.
KUBELET = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
syncFrequency: 1x
maxPod: 100
port: "1"
authorization: {mode: RBAC}
registerWithTaints: [{key: a, effect: NoSchedule, hidden: 1}]
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
apiServer: {extraArgs: {a: b}}
"""


class Decoder(NamedTuple):
    """The programs' decoders of a release, built by .ci/api-server, and its kinds."""

    release: str
    program: Path
    definitions: Definitions

    @property
    def kinds(self) -> Iterator[tuple[Mapping[str, Any], Json]]:
        """The schema of each kind with its apiVersion and kind."""
        for schema in self.definitions.values():
            for kind in schema.get(KINDS_KEYWORD, ()):
                if self.release == RELEASE or kind["kind"] not in _PRIVATE_IN_OLD:
                    version = f"{kind['group']}/{kind['version']}".lstrip("/")
                    yield schema, {"apiVersion": version, "kind": kind["kind"]}


@pytest.fixture(scope="module", params=[RELEASE, OLD_RELEASE])
def decoder(request: pytest.FixtureRequest) -> Decoder:
    name = "KUBESTENCIL_CONFIGURATIONS"
    name = name if request.param == RELEASE else f"{name}_OLD"
    path = os.environ.get(name)
    if not path:
        pytest.skip(f"{name} names no program")
    definitions = configuration_definitions(request.param)
    # Another program decodes kustomize's files: tests/test_kustomize.py asks that.
    own = {name: definitions[name] for name in definitions if KUSTOMIZE not in name}
    return Decoder(request.param, Path(path), own)


def answers(program: Path, objects: list[Json]) -> list[Json]:
    lines = "".join(f"{json.dumps(value)}\n" for value in objects)
    done = subprocess.run([program], input=lines, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def resolved(schema: Mapping[str, Any], definitions: Definitions) -> Mapping[str, Any]:
    name = schema.get("$ref", "").removeprefix(REFERENCE_PREFIX)
    return definitions.get(name, schema)


def value_of(
    schema: Mapping[str, Any], definitions: Definitions, depth: int = 0
) -> Any:
    """A value with all fields that a schema has; None where it is of another table."""
    name = schema.get("$ref", "")
    schema = resolved(schema, definitions)
    if name.endswith((".Duration", ".Quantity")):
        return "1s" if name.endswith(".Duration") else "1"
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object" if "properties" in schema and depth < 6:
            # The kubelet exits at a gate that is unknown.
            fields = {**schema["properties"], "featureGates": {}}.items()
            values = {
                name: value_of(field, definitions, depth + 1) for name, field in fields
            }
            return {name: value for name, value in values.items() if value is not None}
        case "object" if "additionalProperties" in schema:
            return {
                "a": value_of(schema["additionalProperties"], definitions, depth + 1)
            }
        case "array":
            item = value_of(schema["items"], definitions, depth + 1)
            return [] if item is None else [item]
        case "boolean":
            return True
        case "integer" | "number":
            return 1
        case "string":
            # The token of kubeadm has a form of its own.
            return "YWJj" if "format" in schema else "abcdef.0123456789abcdef"
    return None


def whole_objects(decoder: Decoder) -> Iterator[Json]:
    """An object of each kind with all fields."""
    for schema, names in decoder.kinds:
        yield {**value_of(schema, decoder.definitions), **names}


def outer_objects(objects: Iterable[Json]) -> Iterator[Json]:
    """Those that are read inside of other configurations, in these."""
    for value in objects:
        version, kind = value["apiVersion"], value["kind"]
        if kind.endswith("Args"):
            names = {"apiVersion": version, "kind": "KubeSchedulerConfiguration"}
            args = {key: value[key] for key in value.keys() - names.keys()}
            for inner in (value, args):
                plugin = {"name": kind.removesuffix("Args"), "args": inner}
                yield {**names, "profiles": [{"pluginConfig": [plugin]}]}
        elif kind in ("PodSecurityConfiguration", "ResourceQuotaConfiguration"):
            yield {
                "apiVersion": "apiserver.config.k8s.io/v1",
                "kind": "AdmissionConfiguration",
                "plugins": [{"name": "a", "path": "", "configuration": value}],
            }


def mistakes(value: Any) -> Iterator[Any]:
    """``value`` with one mistake, for each of its fields at any depth: a value of another
    type, a name that is wrong."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("apiVersion", "kind"):
                continue
            renamed = {f"{key}X" if key == name else key: value[key] for key in value}
            yield renamed
            wrong = 1 if isinstance(inner, str) else "text"
            yield {**value, name: wrong}
            for changed in mistakes(inner):
                yield {**value, name: changed}
    elif isinstance(value, list) and value:
        for changed in mistakes(value[0]):
            yield [changed]


@pytest.mark.nightly
@pytest.mark.peer
def test_check_refuses_what_the_programs_refuse(
    decoder: Decoder, run: Command, tmp_path: Path
) -> None:
    objects = list(whole_objects(decoder))
    objects += outer_objects(objects)
    assert all("error" not in answer for answer in answers(decoder.program, objects))
    cases = [*objects, *(changed for value in objects for changed in mistakes(value))]
    assert len(cases) > 1500
    verdicts = ["error" in answer for answer in answers(decoder.program, cases)]
    for index, case in enumerate(cases):
        (tmp_path / "cases").mkdir(exist_ok=True)
        (tmp_path / "cases" / f"{index}.json").write_text(json.dumps(case))
    done = run("check", "cases", "--to", decoder.release, "-f", "json", "-q")
    refused = {
        int(Path(finding["file"]).stem)
        for finding in json.loads(done.stdout)["findings"]
        if finding["severity"] == "error"
    }
    wrong = [index for index, is_refused in enumerate(verdicts) if is_refused]
    assert sorted(refused) == wrong, [cases[index] for index in refused ^ {*wrong}][:3]


def contains(value: Any, default: Any) -> bool:
    """Whether a value is a default, or an object that has all of its fields."""
    if isinstance(default, dict) and isinstance(value, dict):
        return all(contains(value.get(name), default[name]) for name in default)
    return bool(value == default)


@pytest.mark.peer
def test_defaults_are_those_of_the_programs(decoder: Decoder) -> None:
    definitions = decoder.definitions

    def empty(schema: Mapping[str, Any], depth: int = 0) -> Json:
        fields = (
            (name, resolved(field, definitions))
            for name, field in schema["properties"].items()
        )
        return {
            name: empty(field, depth + 1)
            for name, field in fields
            if field.get("properties") and depth < 6
        }

    def defaults(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[Any]:
        for name, field in schema["properties"].items():
            inner, at = resolved(field, definitions), f"{path}.{name}"
            if "default" in field:
                yield at, field["default"], value.get(name)
            if inner.get("properties") and isinstance(value.get(name), dict):
                yield from defaults(inner, value[name], at)

    schemas, objects = [], []
    for schema, names in decoder.kinds:
        schemas.append(schema)
        objects.append({**empty(schema), **names})
    compared = [
        found
        for schema, answer in zip(
            schemas, answers(decoder.program, objects), strict=True
        )
        for found in defaults(schema, answer["object"], answer["object"]["kind"])
    ]
    assert len(compared) > 90
    assert [found for found in compared if not contains(found[2], found[1])] == []


def test_mistakes_and_removed_versions_are_found(run: Command, tmp_path: Path) -> None:
    (tmp_path / "kubelet.yaml").write_text(KUBELET)

    def rules(release: str) -> list[tuple[int, str]]:
        done = run("check", "kubelet.yaml", "--to", release, "-f", "json", "-q")
        findings = json.loads(done.stdout)["findings"]
        return [(finding["line"], finding["rule"]) for finding in findings]

    kubelet = [
        (3, "invalid-time"),
        (4, "unknown-field"),
        (5, "wrong-type"),
        (6, "invalid-enum"),
        (7, "unknown-field"),
    ]
    assert rules("1.36") == [*kubelet, (9, "deprecated-kind")]
    newest = rules("1.37")
    assert newest[:6] == [*kubelet, (9, "removed-kind")]


#: What breaks in configuration files, by release: judged by hand.
BREAKING = {
    "1.27": {f"v1beta2.{kind}Configuration" for kind in ("Cluster", "Init", "Join")},
    "1.28": {"v1beta2.KubeSchedulerConfiguration"},
    "1.29": {"v1beta3.KubeSchedulerConfiguration"},
    # A new field of a young feature that is required.
    "1.34": {"v1.ServiceAccountTokenAttributes"},
    "1.37": {f"v1beta3.{kind}Configuration" for kind in ("Cluster", "Init", "Join")},
}


def test_reports_have_what_breaks_in_configurations() -> None:
    for before, after in itertools.pairwise(map(load, RELEASES)):
        breaking = {
            ".".join(change.definition.split(".")[-2:])
            for change in compare(before, after).changes
            if change.severity == "breaking"
            and change.definition in configuration_types()
            and not change.definition.endswith("Args")
        }
        assert breaking == BREAKING.get(after.name, set()), after.name


def test_reports_are_limited_to_kinds_of_configurations(run: Command) -> None:
    changes = compare("1.34", "1.35", kinds=["KubeletConfiguration"]).changes
    assert {change.field for change in changes} == {
        "failCgroupV1",
        # The gates of both are on by default now.
        "imagePullCredentialsVerificationPolicy",
        "maxContainerRestartPeriod",
    }
    done = run("diff", "1.34", "1.35", "--kind", "KubeletConfiguration", "-f", "text")
    assert "KubeletConfiguration.failCgroupV1: default changed" in done.stdout
    assert "ImageVolume" not in done.stdout


def test_histories_have_configurations() -> None:
    (found,) = history(
        [load(release) for release in RELEASES], "KubeletConfiguration", "failCgroupV1"
    )
    assert [found.columns[event.column].release for event in found.events] == [
        "1.31",
        "1.35",
    ]


def test_fields_name_the_flags_that_set_the_same() -> None:
    for release in RELEASES[1:]:
        definitions = configuration_definitions(release)
        for flag in flags(release).values():
            for path in fields_on_path(definitions, flag.field):
                definition, field = path[-1]
                description = definitions[definition]["properties"][field][
                    "description"
                ]
                assert str(flag) in description
                assert [name for _, name in path] == re.findall(r"\.(\w+)", flag.field)
            assert not flag.field or fields_on_path(definitions, flag.field), flag
    kubelet = definitions["io.k8s.kubelet.config.v1beta1.KubeletConfiguration"]
    description = kubelet["properties"]["maxPods"]["description"]
    assert description == "Flag: kubelet --max-pods (deprecated)"
    with pytest.raises(UsageError, match="max-pods") as raised:
        history([load(RELEASES[-1])], "max-pods")
    assert raised.value.hint == (
        "kubelet --max-pods (deprecated), default 110, field KubeletConfiguration.maxPods"
    )


def test_schemas_have_configurations_and_published_formats_have_none() -> None:
    release, kinds = load(RELEASES[-1]), configuration_kinds()
    targets = load_targets(None)
    paths = {
        str(file.path): file.data
        for file in generate_files(release, targets["jsonschema"])
    }
    schema = json.loads(
        paths["kubelet.config.k8s.io/kubeletconfiguration_v1beta1.json"]
    )
    assert schema["properties"]["maxPods"]["default"] == 110
    configurations = [
        path for path in paths if ".k8s.io/" in path or path.startswith("core/")
    ]
    assert len(configurations) == len(
        [kind for kind in kinds.values() if kind.releases.includes(RELEASES[-1])]
    )
    for path in configurations:
        jsonschema.Draft7Validator.check_schema(json.loads(paths[path]))
    (everything,) = (
        json.loads(data) for path, data in paths.items() if path.endswith("/all.json")
    )
    for api_version, kind, is_valid in (
        ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", True),
        ("v1", "EncryptionConfig", True),
        ("v1", "EncryptionConfiguration", False),
    ):
        value = {"apiVersion": api_version, "kind": kind}
        rules = {
            "allOf": [
                rule for rule in everything["allOf"] if "$ref" not in rule["then"]
            ]
        }
        assert jsonschema.Draft7Validator(rules).is_valid(value) == is_valid
        assert (
            {"apiVersion": api_version, "kind": kind}
            in [
                {
                    name: rule["if"]["properties"][name]["const"]
                    for name in rule["if"]["required"]
                }
                for rule in everything["allOf"]
            ]
        ) == is_valid
    pages = {str(file.path) for file in generate_files(release, targets["markdown"])}
    assert not any("Kubelet" in page for page in pages)
    assert not any(
        kind in kinds for value in release.definitions.values() for kind in value.kinds
    )
