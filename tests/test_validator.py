"""Programs that run the API server's own code: what renders, builds and asks them."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

import kubestencil
from kubestencil.checking.findings import Results
from kubestencil.checking.run import check
from kubestencil.checking.verdicts import add_verdict
from kubestencil.checking.verdicts.internal_paths import as_written, located
from kubestencil.cli import cli
from kubestencil.errors import KubestencilError, OutputError, UsageError
from kubestencil.schema.knowledge.components import go_module_rows, strategy_rows
from kubestencil.schema.knowledge.resources import resource_facts
from kubestencil.source.releases import listed_releases
from kubestencil.validator.binaries import binary_path, find_binary, this_platform
from kubestencil.validator.process import Validator, _line
from kubestencil.validator.protocol import Answer, Cause, Request, read_answer
from tests.conftest import ROOT, load
from tests.test_docs import blocks
from tests.validators import built_validator

SCALER = {
    "apiVersion": "autoscaling/v1",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "a"},
    "spec": {
        "maxReplicas": 3,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
        "targetCPUUtilizationPercentage": 50,
    },
}
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx:1"}]},
        },
    },
}
# Answers a request after it was read, and does what the name of the object says.
PROGRAM = """\
#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request["operation"] == "version":
        print(json.dumps({"code": 200, "release": "1.35.0"}), flush=True)
        continue
    name = request["object"]["metadata"]["name"]
    if name == "hang":
        time.sleep(60)
    if name == "crash":
        sys.exit(1)
    if name == "nonsense":
        print("[]", flush=True)
    print(json.dumps({"code": 201, "message": name}), flush=True)
"""


def _named(name: str) -> Request:
    return Request("create", {**CONFIG_MAP, "metadata": {"name": name}})


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program"
    path.write_text(
        PROGRAM.replace("/usr/bin/env python3", shutil.which("python3") or "")
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def validator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Validator]:
    """The validator of 1.35, where CI has built it."""
    path = built_validator("1.35")
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(path.parents[3]))
    with Validator(path) as process:
        yield process


@pytest.fixture
def none_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "validators"))
    return tmp_path / "validators"


def _run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


@pytest.mark.parametrize("release", listed_releases())
def test_every_kind_that_a_release_stores_has_a_strategy(release: str) -> None:
    stored = {
        (row.kind.group, row.kind.kind)
        for row in resource_facts()
        if not row.subresource
        and row.releases.includes(release)
        and {"create", "delete"} <= set(row.verbs)
    }
    strategies = {
        (row.group, row.kind)
        for row in strategy_rows()
        if not row.is_custom and row.releases.includes(release)
    }
    assert stored == strategies
    modules = [row for row in go_module_rows() if row.releases.includes(release)]
    assert [row.name for row in modules if row.version] == ["go"]


def test_an_answer_is_read() -> None:
    cause = {
        "reason": "FieldValueRequired",
        "message": "Required value",
        "field": "a.b",
        "badValue": [1],
    }
    line = json.dumps({"code": 422, "message": "no", "causes": [cause]}).encode()
    answer = read_answer(line)
    assert answer.is_verdict and not answer.accepted
    assert answer.causes == (("FieldValueRequired", "a.b", "Required value", "[1]"),)
    assert not Answer(404).is_verdict and not Answer(500).is_verdict


def test_a_program_that_hangs_is_ended_and_no_answer_is_lost(program: Path) -> None:
    names = ["a", "hang", "b", "crash", "c", "nonsense", *map(str, range(40))]
    with Validator(program, seconds=1) as validator:
        answers = list(validator.ask(map(_named, names)))
    failed = [
        name for name, answer in zip(names, answers, strict=True) if not answer.code
    ]
    assert failed == ["hang", "crash", "nonsense"]
    messages = [answer.message for answer in answers if answer.code]
    assert messages == [name for name in names if name not in failed]


def test_requests_and_answers_that_fill_the_pipes_do_not_wait_for_each_other(
    program: Path,
) -> None:
    names = [str(number) * 300_000 for number in range(9)]
    with Validator(program, seconds=30) as validator:
        pending = [validator.submit(_named(name)) for name in names]
        later = validator.submit(_named("later")).result()
    assert [answer.result().message for answer in pending] == names
    assert later.message == "later"


#: What a program could answer to each request, but for the end of the line.
ANSWERS: Mapping[str, bytes] = {
    "nothing": b"",
    "another type": b"[1]",
    "no code": b"{}",
    "a text as code": b'{"code": "201"}',
    "a truth as code": b'{"code": true}',
    "infinity": b'{"code": 1e400}',
    "many digits": b'{"code": ' + b"9" * 5_000 + b"}",
    "nesting": b"[" * 200_000,
    "no UTF-8": b'{"code": 422, "message": "\xff"}',
    "two answers": b'{"code": 201}\n{"code": 422}',
    "a cause that is no object": b'{"code": 422, "causes": [1]}',
    "a cause with other types": b'{"code": 422, "causes": [{"field": []}]}',
    "no causes": b'{"code": 422, "causes": null}',
    "warnings that are no texts": b'{"code": 201, "warnings": [{}]}',
    "policies that are a text": b'{"code": 403, "policies": "no"}',
    "an object that is a list": b'{"code": 200, "object": [1]}',
    "control characters": b'{"code": 422, "message": "\\u0000\\u001b[31m\\ud800"}',
    "a path of steps": b'{"code": 422, "causes": [{"field": "'
    + b"a[0]" * 50_000
    + b'"}]}',
    "a path of brackets": b'{"code": 422, "causes": [{"field": "'
    + b"[" * 50_000
    + b'"}]}',
    "a long index": b'{"code": 422, "causes": [{"field": "metadata.finalizers['
    + b"9" * 5_000
    + b']"}]}',
    "a large text": b'{"code": 422, "message": "' + b"x" * (15 << 20) + b'"}',
    "a line without an end": b" " * (17 << 20),
    "many warnings": b'{"code": 201, "warnings": [' + b'"\\u0007",' * 20_000 + b'"a"]}',
    "a value of any depth": b'{"code": 422, "causes": [{"badValue": '
    + b"[" * 900
    + b"]" * 900
    + b"}]}",
    "an object of any depth": b'{"code": 200, "object": '
    + b'{"a": ' * 900
    + b"1"
    + b"}" * 901,
    "an object that YAML cannot have": b'{"code": 200, "object": {"\\u0000\\ud800":'
    b' ["\\u001b[31m", NaN, 1e400, "\\u0085", {"<<": {"\\n": "---\\n..."}}]}}',
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_whatever_a_program_answers_a_command_ends_well(
    program: Path, none_built: Path, tmp_path: Path, answer: bytes
) -> None:
    path = binary_path("1.35.0", this_platform())
    path.parent.mkdir(parents=True)
    (tmp_path / "answer").write_bytes(answer + b"\n" if answer else b"")
    path.write_text(
        f"#!{shutil.which('python3')}\nimport sys, pathlib\n"
        f"answer = pathlib.Path({str(tmp_path / 'answer')!r}).read_bytes()\n"
        "for line in sys.stdin:\n"
        "    sys.stdout.buffer.write(answer) and sys.stdout.flush()\n"
        "    if not answer: break\n"
    )
    path.chmod(0o755)
    manifest = tmp_path / "manifest.yaml"
    config_map = {**CONFIG_MAP, "metadata": {"name": "a", "finalizers": ["a/b"]}}
    manifest.write_text("---\n".join(f"{json.dumps(config_map)}\n" for _ in range(3)))
    check_json = ("check", "--to", "1.35", "-f", "json")
    convert = ("convert", "--to", "v1", "--release", "1.35")
    for command in (("check", "--to", "1.35"), check_json, ("default",), convert):
        result = _run(*command, str(manifest))
        assert isinstance(result.exception, SystemExit | KubestencilError | None)
        assert len(result.output) < 200_000
        assert not {"\0", "\x1b", "\x07", "\ud800"} & {*result.output}


def test_a_program_that_starts_another_one_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\nsleep 100\n")
    path.chmod(0o755)
    with Validator(path, seconds=0.1) as validator:
        assert not validator.submit(_named("a")).result().code


def test_a_process_that_is_ended_leaves_no_threads(program: Path) -> None:
    before = threading.active_count()
    validator = Validator(program)
    for _ in range(40):
        validator.submit(_named("a" * 100_000))
    validator.close()
    assert threading.active_count() == before


def test_an_object_that_is_too_deep_is_refused_by_itself() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert _line(Request("create", deep)) == _line(
        Request("create", {"a": float("nan")})
    )


def test_a_program_that_cannot_be_run_is_an_error(tmp_path: Path) -> None:
    with (
        Validator(tmp_path / "missing") as validator,
        pytest.raises(KubestencilError, match="cannot be run"),
    ):
        list(validator.ask([_named("a")]))


def test_a_value_that_json_cannot_have_is_no_line() -> None:
    with pytest.raises(ValueError):
        Request("create", {"a": float("nan")}).line()


@pytest.mark.parametrize(
    ("field", "path", "rest"),
    [
        ("spec.containers[0].image", ("spec", "containers", 0), ".image"),
        ("spec.containers[0].name", ("spec", "containers", 0, "name"), ""),
        ("spec.containers[1].name", ("spec", "containers"), "[1].name"),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c"), ""),
        ("spec.selector", ("spec",), ".selector"),
        ("", (), ""),
        ("<nil>", (), "<nil>"),
    ],
)
def test_a_path_of_the_server_is_located(
    field: str, path: tuple[str | int, ...], rest: str
) -> None:
    value = {
        "metadata": {"labels": {"a.b/c": "1"}},
        "spec": {"containers": [{"name": "a"}]},
    }
    assert located(field, value) == (path, rest)


@pytest.mark.parametrize(
    ("api_version", "kind", "field", "written"),
    [
        (
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "spec.validation.openAPIV3Schema.type",
            "spec.versions[0].schema.openAPIV3Schema.type",
        ),
        ("events.k8s.io/v1", "Event", "count", "deprecatedCount"),
        ("v1", "Event", "count", "count"),
        ("v1", "Node", "metadata.taints[0].key", "spec.taints[0].key"),
        ("v1", "Node", "spec.podCIDRs[0]", "spec.podCIDR"),
        ("v1", "Service", "spec.clusterIPs[0]", "spec.clusterIP"),
        ("v1", "Service", "spec.clusterIPs[1]", "spec.clusterIPs[1]"),
        ("v1", "Secret", "data[a/b]", "stringData[a/b]"),
        ("batch/v1", "Job", "spec.template.labels", "spec.template.metadata.labels"),
        (
            "apps/v1",
            "Deployment",
            "spec.template.annotations[a]",
            "spec.template.metadata.annotations[a]",
        ),
    ],
)
def test_paths_of_the_server_are_those_of_the_version(
    api_version: str, kind: str, field: str, written: str
) -> None:
    value = {"apiVersion": api_version, "kind": kind}
    cause = Cause("FieldValueInvalid", field, "a")
    assert as_written(cause, value).field == written


def test_refusals_without_a_place_of_their_own_are_placed_or_left_out() -> None:
    """A path may be in the message only; a placeholder is quoted as the map that has it;
    rules that were not applied are no mistake."""
    value = {
        "metadata": {"labels": {"a": "{{ .A }}"}},
        "spec": {"addresses": [{"value": "x"}]},
    }
    message = 'Invalid value: "": "spec.addresses[0]" must validate one schema (oneOf)'
    label = 'Invalid value: "{{ .A }}": a valid label must be'
    incomplete = "some validation rules were not checked because the object was invalid"
    answer = Answer(
        422,
        causes=(
            Cause("FieldValueInvalid", "<nil>", message),
            Cause("FieldValueInvalid", "metadata.labels", label, '"{{ .A }}"'),
            Cause("FieldValueInvalid", "<nil>", f"Invalid value: null: {incomplete}"),
        ),
    )
    results = Results()
    add_verdict(results, (), value, answer, is_custom=True)
    (problem,) = results.values
    assert problem.path == ("spec", "addresses", 0)


def test_what_a_server_says_without_a_place_is_placed() -> None:
    """The label that a Namespace gets of its name; a format of a definition; of a value
    that it cannot read it says nothing more, and a placeholder may be meant."""
    namespace = {"kind": "Namespace", "metadata": {"name": "_", "labels": {}}}
    label = Cause("FieldValueInvalid", "metadata.labels", "a", '"_"')
    assert as_written(label, namespace).field == "metadata.name"
    schema = {"properties": {"a": {"type": "string", "format": "int64"}}}
    results = Results()
    answer = Answer(201, warnings=('unrecognized format "int64"',))
    add_verdict(results, (), {"spec": schema}, answer, is_custom=False)
    (warning,) = results.values
    assert warning.path == ("spec", "properties", "a", "format")
    for storage, unchecked in (("${SIZE}", ["values with placeholders"]), ("5G1", [])):
        results = Results()
        answer = Answer(400, message="quantities must match")
        value = {"spec": {"storage": storage}}
        add_verdict(results, (), value, answer, is_custom=False)
        assert results.unchecked == unchecked
        assert len(results.values) == (not unchecked)


def test_lists_that_the_server_leaves_out_are_found() -> None:
    value = {"downwardAPI": {"items": [{"mode": 1}]}, "loadBalancer": 1}
    path = ("downwardAPI", "items", 0, "mode")
    assert located("downwardAPI.mode", value) == (path, "")
    assert located("LoadBalancer", value) == (("loadBalancer",), "")


def test_a_command_says_how_to_get_a_program_that_is_missing(none_built: Path) -> None:
    for arguments in (
        ("validator", "path", "1.35"),
        ("default", "-", "--release", "1.35"),
        ("check", "-", "--to", "1.35", "--exact", "require"),
    ):
        result = _run(*arguments, stdin=json.dumps(CONFIG_MAP))
        assert isinstance(result.exception, KubestencilError)
        assert "kubestencil validator build 1.35" in result.exception.hint


def test_a_patch_without_a_spec_is_none_of_the_servers(
    validator: Validator, tmp_path: Path
) -> None:
    """What the server requires in a spec is in no table where it names no spec."""
    path = tmp_path / "ca_patch.yaml"
    path.write_text(
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\n"
        "metadata: {name: v1.example.com, annotations: {a: b}}\n"
    )
    check = ("check", str(path), "--to", "1.35", "--exact", "require")
    assert _run(*check).exit_code == 0
    path = path.rename(tmp_path / "ca.yaml")
    assert _run(*check[:1], str(path), *check[2:]).exit_code == 1


def test_only_current_programs_are_found(none_built: Path) -> None:
    path = binary_path("1.35.2", this_platform())
    for folder in (path.parent, path.parent.parent / "0123\x1b[31m"):
        folder.mkdir(parents=True)
        (folder / path.name).touch()
    for version in ("1.35.x", "1.35.", "1.35.3-gke.1"):
        theirs = binary_path(version, this_platform())
        theirs.parent.mkdir(parents=True)
        theirs.touch()
    assert find_binary("1.35") == find_binary("1.35.2") == path
    assert find_binary("1.35.0") is None and find_binary("1.34") is None
    output = _run("validator", "list").output
    assert output.count("another version") == 1 and output.count("\n") == 2
    assert "\x1b" not in output


def test_a_program_that_never_answers_is_given_up(tmp_path: Path) -> None:
    """Each request of it takes all its seconds, and a manifest can have thousands."""
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\nexec sleep 100\n")
    path.chmod(0o755)
    with (
        Validator(path, seconds=0.01) as validator,
        pytest.raises(KubestencilError, match="does not answer"),
    ):
        list(validator.ask(map(_named, map(str, range(100)))))


def _packed(folder: Path, version: str, data: bytes) -> Path:
    """A program in a package, as .ci/validator-packages makes it."""
    digest = binary_path(version, this_platform()).parent.name
    path = folder / "kubestencil_validators" / version / digest / "validator.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


def test_a_package_that_is_no_program_is_an_error(
    none_built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("kubestencil.validator.binaries._MAX_PROGRAM", 1_000_000)
    whole = lzma.compress(b"#!/bin/sh\n")
    bomb = lzma.compress(bytes(2_000_000))
    for number, data in enumerate((b"", b"x", whole[:-9], lzma.compress(b""), bomb)):
        packed = _packed(tmp_path, f"1.{30 + number}.0", data)
        with pytest.raises(KubestencilError, match="is no program") as error:
            find_binary(f"1.{30 + number}")
        assert error.value.where == str(packed)
    # Names of folders that are no versions are no programs.
    for version in ("1.35.x", "1.35", "..1.35.0"):
        _packed(tmp_path, version, whole)
    assert find_binary("1.35") is None
    assert not none_built.exists() or not list(none_built.rglob("validator*"))
    _packed(tmp_path, "1.35.0", whole)
    # Several at once, as threads of a program do it.
    with ThreadPoolExecutor(16) as pool:
        paths = set(pool.map(find_binary, ["1.35"] * 64))
    (path,) = paths
    assert path is not None and path.read_bytes() == b"#!/bin/sh\n"
    assert [file.name for file in path.parent.iterdir()] == ["validator"]


def test_a_folder_that_cannot_be_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "file"))
    _packed(tmp_path, "1.35.0", lzma.compress(b"x"))
    with pytest.raises(OutputError, match="cannot be written"):
        find_binary("1.35")


@pytest.mark.compiler("gofmt")
def test_the_module_is_formatted_as_gofmt_does(tmp_path: Path) -> None:
    for release in ("1.29", "1.35"):
        result = _run("render", release, "-t", "validator", "-o", str(tmp_path), "-q")
        assert result.exit_code == 0, result.output
    run = subprocess.run(
        ["gofmt", "-l", tmp_path], capture_output=True, text=True, check=True
    )
    assert run.stdout == ""


@pytest.mark.server
@pytest.mark.compiler("go")
def test_the_tests_in_go_pass(validator: Validator, tmp_path: Path) -> None:
    """Among them that files, programs and the network are refused. Where the validator
    was built, Go has compiled nearly all that these tests need."""
    run = _run("render", "1.35", "-t", "validator", "-o", str(tmp_path), "-q")
    assert run.exit_code == 0, run.output
    module = tmp_path / "1.35/validator"
    for path in (ROOT / "templates/validator").glob("*_test.go"):
        shutil.copy(path, module)
    command = ["go", "test", "-mod=mod", "-trimpath", "-vet=off", "."]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    test = subprocess.run(
        command, cwd=module, env=environment, capture_output=True, text=True
    )
    assert test.returncode == 0, test.stdout + test.stderr


@pytest.mark.server
def test_mistakes_are_found_with_the_words_of_the_server(
    validator: Validator, tmp_path: Path
) -> None:
    path = tmp_path / "web.json"
    text = json.dumps(DEPLOYMENT).replace(
        '"containers"', '"restartPolicy": "no", "containers"'
    )
    path.write_text(
        text.replace('"image": "nginx:1"', '"ports": [{"containerPort": 0}]')
    )
    result = _run("check", str(path), "--to", "1.35", "-f", "json", "-q")
    findings = json.loads(result.output)["findings"]
    assert {(finding["rule"], finding["path"]) for finding in findings} == {
        ("invalid-enum", "spec.template.spec.restartPolicy"),
        ("missing-field", "spec.template.spec.containers[0].image"),
        ("out-of-range", "spec.template.spec.containers[0].ports[0].containerPort"),
    }
    # Without the program, tables of facts say less.
    options = ("--to", "1.35", "--exact", "off", "-f", "json", "-q")
    without = json.loads(_run("check", str(path), *options).output)["findings"]
    assert ("invalid-enum", "spec.template.spec.restartPolicy") in {
        (finding["rule"], finding["path"]) for finding in without
    }


@pytest.mark.parametrize("kind", ["DaemonSet", "Deployment", "StatefulSet"])
def test_an_absent_field_is_named_where_the_server_names_what_follows(
    validator: Validator, tmp_path: Path, kind: str
) -> None:
    """Of a DaemonSet without a selector, it says only that the labels do not match."""
    template = DEPLOYMENT["spec"]["template"]
    value = {**DEPLOYMENT, "kind": kind, "spec": {"template": template}}
    value["metadata"] = {"name": "web", "ownerReferences": [{"kind": "Node"}]}
    (tmp_path / "a.json").write_text(json.dumps(value))
    result = _run("check", str(tmp_path), "--to", "1.35", "-q", "-f", "json")
    found = [
        (finding["rule"], finding["path"])
        for finding in json.loads(result.stdout)["findings"]
    ]
    # And each owner with its index, which the server leaves out.
    assert found == [
        *(
            ("missing-field", f"metadata.ownerReferences[0].{name}")
            for name in ("apiVersion", "name", "uid")
        ),
        ("missing-field", "spec.selector"),
        ("invalid-value", "spec.template.metadata.labels"),
    ]


@pytest.mark.parametrize("kind", ["DaemonSet", "Deployment"])
def test_labels_that_a_kustomization_sets_are_not_missing(
    validator: Validator, tmp_path: Path, kind: str
) -> None:
    """Neither those of the template, which are absent, nor the selector of them."""
    spec = {"template": {"spec": DEPLOYMENT["spec"]["template"]["spec"]}}
    value = {**DEPLOYMENT, "kind": kind, "spec": spec}
    (tmp_path / "a.json").write_text(json.dumps(value))
    (tmp_path / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        "resources: [a.json]\ncommonLabels: {app: web}\n"
    )
    result = _run("check", str(tmp_path), "--to", "1.35", "-q", "-f", "json")
    report = json.loads(result.stdout)
    # The kustomization is checked, too.
    assert report["findings"] == [] and report["checked"]["checked"] == 2


def test_python_programs_are_told_how_to_get_a_program(none_built: Path) -> None:
    with pytest.raises(UsageError) as error:
        kubestencil.validate([CONFIG_MAP], "1.35")
    assert error.value.hint.startswith("kubestencil validator build 1.35")


@pytest.mark.server
def test_python_programs_get_typed_answers(validator: Validator) -> None:
    refused = {**DEPLOYMENT, "metadata": {"name": "A"}}
    first, second = kubestencil.validate([DEPLOYMENT, refused], "1.35")
    assert (first.accepted, first.code) == (True, 201)
    (cause,) = second.causes
    assert (cause.field, cause.reason, cause.bad_value) == (
        "metadata.name",
        "FieldValueInvalid",
        '"A"',
    )
    with kubestencil.ReleaseValidator("1.35") as release:
        assert release.create(CONFIG_MAP).accepted
        assert release.update(DEPLOYMENT, DEPLOYMENT).code == 200
        assert release.update(refused, DEPLOYMENT).old_refused
        stored = release.default(CONFIG_MAP, namespace="a").object
        assert stored is not None and stored["metadata"]["namespace"] == "a"
        assert release.convert(DEPLOYMENT, "apps/v1beta1").object is not None
        with pytest.raises(UsageError, match="must be a mapping"):
            release.create("kind: Pod")  # type: ignore[arg-type]


@pytest.mark.server
def test_the_example_for_python_programs_runs(
    validator: Validator, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = blocks(ROOT / "docs/python-api.md", "python")
    exec(next(text for text in examples if "ReleaseValidator" in text), {})
    assert "422 spec.containers FieldValueRequired" in capsys.readouterr().out


@pytest.mark.server
def test_findings_of_decoding_are_ours_and_placeholders_are_left_out(
    validator: Validator, tmp_path: Path
) -> None:
    def findings(container: dict[str, Any]) -> list[tuple[str, str, str]]:
        spec = {"restartPolicy": "${POLICY}", "containers": [container]}
        pod = {**CONFIG_MAP, "kind": "Pod", "spec": spec}
        (tmp_path / "pod.json").write_text(json.dumps(pod))
        result = _run("check", str(tmp_path), "--to", "1.35", "-f", "json", "-q")
        return [
            (finding["rule"], finding["path"], finding["hint"])
            for finding in json.loads(result.output)["findings"]
        ]

    assert findings({"name": "a", "image": "a:1"}) == []
    first = "spec.containers[0]"
    assert findings({"name": "a"}) == [("missing-field", f"{first}.image", "add image")]
    assert findings({"name": "A", "imag": "a:1"}) == [
        ("unknown-field", f"{first}.imag", "did you mean image?")
    ]


@pytest.mark.server
@pytest.mark.parametrize(
    ("report_format", "text"),
    [
        ("text", "own code of 1.35.0\n"),
        ("markdown", "own code of 1.35.0.\n"),
        ("html", "own code of 1.35.0.</p>"),
        ("junit", 'own code of 1.35.0" />'),
        ("sarif", '"name": "kube-apiserver",\n            "version": "1.35.0"'),
        ("json", '"validators": {\n    "1.35": "1.35.0"\n  }'),
    ],
)
def test_reports_say_which_code_decided(
    validator: Validator, tmp_path: Path, report_format: str, text: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CONFIG_MAP))
    arguments = ("check", str(tmp_path), "--to", "1.35", "-q", "-f", report_format)
    assert text in _run(*arguments).output.replace("&#39;", "'")


def test_reports_say_how_to_get_the_code(none_built: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CONFIG_MAP))
    result = _run("check", str(tmp_path / "a.json"), "--to", "1.35")
    assert result.output.count("kubestencil validator build 1.35") == 1
    without = _run("check", str(tmp_path / "a.json"), "--to", "1.35", "--exact", "off")
    assert "own code" not in without.output


def test_an_object_at_which_the_code_fails_is_counted(program: Path) -> None:
    files = [program.with_name(f"{name}.json") for name in ("a", "crash", "b")]
    for file in files:
        value = {**CONFIG_MAP, "metadata": {"name": file.stem}}
        file.write_text(json.dumps(value))
    with Validator(program) as validator:
        report = check(
            [str(file) for file in files], load("1.35"), None, {"1.35": validator}
        )
    assert report.checked == 3
    assert dict(report.skipped) == {("the API server's own code failed", ""): 1}


@pytest.mark.server
def test_an_update_of_what_is_immutable_is_refused(validator: Validator) -> None:
    text = json.dumps(DEPLOYMENT)
    other = json.loads(text.replace('"app": "web"', '"app": "api"'))
    newer = json.loads(text.replace("nginx:1", "nginx:2"))
    refused, accepted = validator.ask(
        Request("update", value, old=DEPLOYMENT) for value in (other, newer)
    )
    assert [cause.field for cause in refused.causes] == ["spec.selector"]
    assert accepted.accepted


@pytest.mark.server
def test_defaults_and_conversions_keep_the_order_of_fields(
    validator: Validator,
) -> None:
    service = "kind: Service\napiVersion: v1\nmetadata: {name: a}\nspec:\n"
    service += "  ports: [{port: 80}]\n  selector: {app: 'yes'}\n"
    lines = _run(
        "default",
        "-",
        "--release",
        "1.35",
        stdin=service,
    ).output.splitlines()
    assert lines[:2] == ["kind: Service", "apiVersion: v1"]
    assert "  - port: 80" in lines and '    app: "yes"' in lines
    assert not any("clusterIP:" in line for line in lines)
    arguments = ("convert", "-", "--to", "autoscaling/v2", "--release", "1.35")
    result = _run(*arguments, stdin=json.dumps(SCALER))
    assert "averageUtilization: 50" in result.output


@pytest.mark.server
def test_a_version_that_the_release_does_not_serve_is_converted_only(
    validator: Validator,
) -> None:
    old = json.dumps(DEPLOYMENT | {"apiVersion": "apps/v1beta1"})
    result = _run("default", "-", "--release", "1.35", stdin=old)
    assert result.exit_code == 1
    message = "does not serve Deployment of apps/v1beta1"
    assert message in str(result.exception)
    converted = _run("convert", "-", "--to", "apps/v1", "--release", "1.35", stdin=old)
    assert "apiVersion: apps/v1\n" in converted.output
    update = Request("update", DEPLOYMENT, old=json.loads(old))
    (answer,) = validator.ask([update])
    assert answer.code == 200


@pytest.mark.server
def test_a_refused_object_is_named_once(validator: Validator) -> None:
    pod = {**CONFIG_MAP, "kind": "Pod", "metadata": {"name": "a"}, "spec": {}}
    result = _run("default", "-", "--release", "1.35", stdin=json.dumps(pod))
    assert str(result.exception) == "<stdin>: Pod a: spec.containers: Required value"


@pytest.mark.server
@pytest.mark.parametrize(
    ("arguments", "version"),
    [
        (("default",), "autoscaling/v1"),
        (("convert", "--to", "autoscaling/v2"), "autoscaling/v2"),
    ],
)
def test_objects_of_unknown_kinds_stay_as_they_are_beside_others(
    arguments: tuple[str, ...], version: str, validator: Validator
) -> None:
    unknown = [
        {"apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "a"}},
        {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a"}},
    ]  # fmt: skip
    arguments = (*arguments, "-", "--release", "1.35")

    def run(*objects: object) -> Result:
        return _run(*arguments, stdin="\n---\n".join(map(json.dumps, objects)))

    result = run(*unknown, SCALER)
    *same, changed = yaml.safe_load_all(result.stdout)
    assert same == unknown
    assert changed["apiVersion"] == version
    assert changed["spec"]["minReplicas"] == 1
    for kind in ("Ingress of extensions/v1beta1", "Foo of example.com/v1"):
        message = f"the API server does not serve {kind}"
        assert f"{message}, so that it stays as it is" in result.stderr
    alone = run(*unknown)
    assert alone.exit_code == 1 and not alone.stdout
    assert "does not serve Ingress" in str(alone.exception)


@pytest.mark.server
def test_pods_that_a_level_forbids_are_findings(
    validator: Validator, tmp_path: Path
) -> None:
    path = tmp_path / "web.json"
    path.write_text(json.dumps(DEPLOYMENT))
    arguments = ("check", str(path), "--to", "1.35", "-f", "json", "-q")
    for level, found in (("baseline", 0), ("restricted", 1), ("restricted:v1.8", 1)):
        result = _run(*arguments, "--pod-security", level)
        findings = json.loads(result.output)["findings"]
        assert [(finding["rule"], finding["path"]) for finding in findings] == [
            ("pod-security", "spec.template.spec")
        ] * found
        assert result.exit_code == found


def test_a_level_that_cannot_be_compared_is_an_error(none_built: Path) -> None:
    for arguments in (
        ("--pod-security", "strict"),
        ("--pod-security", "baseline"),
        ("--pod-security", "baseline", "--exact", "off"),
    ):
        result = _run("check", "-", "--to", "1.35", *arguments, stdin="{}")
        assert isinstance(result.exception, KubestencilError) and result.exception.hint


@pytest.mark.server
@pytest.mark.nightly
@pytest.mark.compiler("go")
def test_a_program_is_built_where_there_is_none(
    validator: Validator, none_built: Path
) -> None:
    """Where CI has built the same, Go links it only."""
    assert _run("validator", "build", "1.35", "-q").exit_code == 0
    path = find_binary("1.35")
    assert path is not None and path.is_relative_to(none_built)
    assert str(path) == _run("validator", "path", "1.35").output.strip()
    with Validator(path) as process:
        assert next(process.ask([Request("create", CONFIG_MAP)])).accepted
    again = _run("validator", "build", "1.35")
    assert "is up to date" in again.output


_POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: tagged}
spec:
  matchConstraints:
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: ["*"]}
  validations:
    - expression: object.spec.template.spec.containers.all(c, c.image == 'nginx:2')
      message: not nginx:2
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: tagged}
spec: {policyName: tagged, validationActions: [Deny]}
"""


@pytest.mark.server
def test_objects_that_a_policy_denies_are_findings(
    validator: Validator, tmp_path: Path
) -> None:
    policies = tmp_path / "policies.yaml"
    policies.write_text(_POLICY)
    for image, count in (("nginx:1", 1), ("nginx:2", 0), ("${IMAGE}", 0)):
        path = tmp_path / "web.json"
        path.write_text(json.dumps(DEPLOYMENT).replace("nginx:1", image))
        arguments = ("check", str(path), "--policies", str(policies), "-f", "json")
        result = _run(*arguments, "--to", "1.35", "-q")
        findings = json.loads(result.output)["findings"]
        rules = [finding["rule"] for finding in findings]
        assert rules == ["denied-by-policy"] * count
    policies.write_text(_POLICY.replace("object.spec.template", "object.spec ="))
    findings = json.loads(_run(*arguments, "--to", "1.35", "-q").output)["findings"]
    assert "compilation failed" in findings[0]["message"]
    assert findings[0]["file"] == str(policies)


def test_policies_that_cannot_be_evaluated_are_an_error(
    none_built: Path, tmp_path: Path
) -> None:
    policies = tmp_path / "policies.yaml"
    for text, release, problem in (
        (json.dumps(CONFIG_MAP), "1.35", "no ValidatingAdmissionPolicy"),
        (_POLICY, "1.29", "1.29 is not asked"),
        (_POLICY, "1.35", "is not built"),
    ):
        policies.write_text(text)
        arguments = ("check", str(policies), "--policies", str(policies))
        result = _run(*arguments, "--to", release)
        assert isinstance(result.exception, KubestencilError)
        assert problem in str(result.exception)
