"""``check --fix`` mends what is sure, and leaves all other bytes as they are."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from kubestencil.checking.fixing import FixedText, fixed_text
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli import cli
from kubestencil.cli.check import fix
from kubestencil.lsp.findings import findings_in, replacements
from kubestencil.source.yaml import documents
from tests.conftest import load
from tests.examples import examples
from tests.hint_mistakes import hinted_mistakes
from tests.manifests import manifests

_POD = """\
# The web server.
apiVersion: v1
kind: Pod
metadata: {name: "web"}   # as it is called
spec:
  containers:
  - name: web
    image: 'web:1'   # pinned

MORE
# The end.
"""
_INGRESS = """\
apiVersion: networking.k8s.io/v1beta1 # old
kind: Ingress
metadata:
  name: a
spec:
  backend:
    serviceName: a
    servicePort: 80
  tls: []
"""
_NEW_INGRESS = """\
apiVersion: networking.k8s.io/v1 # old
kind: Ingress
metadata:
  name: a
spec:
  defaultBackend:
    service:
      name: a
      port:
        number: 80
  tls: []
"""


@pytest.fixture(scope="module")
def upgrade() -> Upgrade:
    return Upgrade(None, prepare(load("1.35")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  restartPolcy: Never # once", "  restartPolicy: Never # once"),
        ("    command: sh", "    command: [sh]"),
        ("    tty: 'true' # a", "    tty: true # a"),
        ("    workingDir: 080", "    workingDir: 080"),
        ("    workingDir: 12", '    workingDir: "12"'),
        (
            "    ports:\n      containerPort: 80\n      # of it\n      name: a",
            "    ports:\n      - containerPort: 80\n        # of it\n        name: a",
        ),
        ("    ports: {containerPort: 80}", "    ports: [{containerPort: 80}]"),
        (
            "    resources:\n    - limits: {cpu: 1}\n      requests: {cpu: 1}",
            "    resources:\n      limits: {cpu: 1}\n      requests: {cpu: 1}",
        ),
        (
            "    livenessProbe:\n      periodSeconds: 3\n      restartPolicy: Always",
            "    livenessProbe:\n      periodSeconds: 3\n      restartPolicy: Always",
        ),
        (
            "  dnsPolcy: Default # kubestencil: ignore unknown-field on purpose",
            "  dnsPolcy: Default # kubestencil: ignore unknown-field on purpose",
        ),
        ("  restartPolicy: always # a", "  restartPolicy: Always # a"),
        ("  dnsPolicy: 'ClusterFrst'", "  dnsPolicy: 'ClusterFirst'"),
        ("  restartPolicy: Sometimes", "  restartPolicy: Sometimes"),
        # Several mistakes, one in the other.
        (
            "  initContainers:\n    name: a\n    image: a\n    command: sh\n"
            "    imagePullPolicy: always\n  dnsPolicy: default",
            "  initContainers:\n    - name: a\n      image: a\n      command: [sh]\n"
            "      imagePullPolicy: Always\n  dnsPolicy: Default",
        ),
        (
            "    prots: [{containerPort: '80', protocol: tcp}]",
            "    ports: [{containerPort: 80, protocol: TCP}]",
        ),
        # Nothing says that the keys are names.
        ("    ports: {http: 80}", "    ports: {http: 80}"),
        # Nobody knows what is meant.
        ("  nowhere: 1", "  nowhere: 1"),
        ("  nodeSelector: &a {x: 1}\n  overhead: *a", None),
        (
            "  nodeSelector: &a {x: b}\n  overhead: {}\n  dnsPolcy: Default",
            "  nodeSelector: &a {x: b}\n  overhead: {}\n  dnsPolicy: Default",
        ),
        (
            "    resources:\n      limits: &a {cpu: 1}\n      request: *a",
            "    resources:\n      limits: &a {cpu: 1}\n      requests: *a",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_sure_is_fixed_and_nothing_else(
    upgrade: Upgrade, before: str, after: str | None, end: str
) -> None:
    text = _POD.replace("MORE", before).replace("\n", end)
    expected = _POD.replace("MORE", before if after is None else after)
    result = fixed_text(text, "a.yaml", upgrade)
    assert result.text == expected.replace("\n", end)
    again = fixed_text(result.text, "a.yaml", upgrade)
    assert (again.text, again.fixes) == (result.text, 0)


def test_an_old_ingress_becomes_a_new_one(upgrade: Upgrade) -> None:
    assert fixed_text(_INGRESS, "a.yaml", upgrade).text == _NEW_INGRESS


_BRACES = """\
{"apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "a"}, "spec": {
  "backend": {"servicePort": "web", "serviceName": "a"}, "rules": [{"http": {"paths": [
  {"backend": {"serviceName": "a" , "servicePort": 80}}, {"path": "/", QUOTE}]}}]}}
"""
_NEW_BRACES = """\
{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "a"}, "spec": {
  "defaultBackend": {"service": {"port": {"name": "web"}, "name": "a"}}, "rules": [{"http": {"paths": [
  {"backend": {"service": {"name": "a", "port": {"number": 80}}}, "pathType": "ImplementationSpecific"}, {"path": "/", QUOTE}]}}]}}
"""
_OLD_PATH = '"pathType": "Exact", "backend": {"serviceName": "b", "servicePort": 8}'
_NEW_PATH = (
    '"pathType": "Exact", "backend": {"service": {"name": "b", "port": {"number": 8}}}'
)


@pytest.mark.parametrize("quote", ['"', ""])
def test_what_is_in_braces_is_fixed_in_them(upgrade: Upgrade, quote: str) -> None:
    """JSON stays JSON, and plain YAML plain."""
    before, after = (
        text.replace("QUOTE", path).replace('"', quote)
        for text, path in ((_BRACES, _OLD_PATH), (_NEW_BRACES, _NEW_PATH))
    )
    assert fixed_text(before, "a.yaml", upgrade).text == after


_CRD = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: as.a.example}
spec:
  group: a.example
  version: v1 # the first
  names: {plural: as, kind: A}
  preserveUnknownFields: false
  # What it shows.
  additionalPrinterColumns:
  - JSONPath: .a  # where
    name: a
    type: string
  validation:
    openAPIV3Schema: {type: object}
"""
_NEW_CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.a.example}
spec:
  group: a.example
  names: {plural: as, kind: A}
  preserveUnknownFields: false
  # What it shows.
  versions:
  - name: v1 # the first
    served: true
    storage: true
    additionalPrinterColumns:
    - jsonPath: .a  # where
      name: a
      type: string
    schema:
      openAPIV3Schema: {type: object}
  scope: Namespaced
"""


def test_an_old_definition_gets_versions(upgrade: Upgrade) -> None:
    assert fixed_text(_CRD, "a.yaml", upgrade).text == _NEW_CRD
    # Old servers keep fields of such objects that new ones drop.
    text = _CRD.replace("  preserveUnknownFields: false\n", "")
    assert fixed_text(text, "a.yaml", upgrade).text == text


def test_a_fixed_definition_is_checked_as_it_is_then(tmp_path: Path) -> None:
    """It is read before it is fixed, since it defines a kind."""
    path = tmp_path / "a.yaml"
    path.write_text(_CRD)
    result = CliRunner().invoke(cli, ["check", str(path), "--fix", "-q", "-f", "json"])
    assert path.read_text() == _NEW_CRD
    assert json.loads(result.stdout)["findings"] == [], result.stdout


def test_an_object_may_have_any_number_of_mistakes(upgrade: Upgrade) -> None:
    old = "      - backend: {serviceName: a, servicePort: 1}\n"
    new = (
        "      - backend: {service: {name: a, port: {number: 1}}}\n"
        "        pathType: ImplementationSpecific\n"
    )
    start = (
        f"{_INGRESS[: _INGRESS.index('  backend')]}  rules:\n  - http:\n      paths:\n"
    )
    expected = f"{start}{new * 300}".replace("v1beta1", "v1")
    assert fixed_text(start + old * 300, "a.yaml", upgrade).text == expected


def test_mistakes_that_exclude_each_other_leave_one(upgrade: Upgrade) -> None:
    text = _POD.replace("MORE", "  dnsPolcy: Default\n  dnsPolicyy: None")
    result = fixed_text(text, "a.yaml", upgrade)
    assert result.text == text.replace("dnsPolcy", "dnsPolicy")
    assert result.left == 1


_DEPLOYMENT = """\
apiVersion: VERSION
kind: Deployment
metadata: {name: a}
spec:
  replicas: 2
  template:
    metadata:
      labels: {app.kubernetes.io/name: a, "on": "1"}
    spec:
      containers: [{name: a, image: a}]
MORE"""
_SELECTOR = """\
  selector:
    matchLabels:
      app.kubernetes.io/name: a
      "on": "1"
"""


@pytest.mark.parametrize("version", ["extensions/v1beta1", "apps/v1beta1"])
def test_a_selector_is_what_old_servers_filled_in(
    upgrade: Upgrade, version: str
) -> None:
    before = _DEPLOYMENT.replace("MORE", "").replace("VERSION", version)
    after = _DEPLOYMENT.replace("MORE", _SELECTOR).replace("VERSION", "apps/v1")
    assert fixed_text(before, "a.yaml", upgrade).text == after
    # Nobody selected pods of a template without labels, nor in other versions.
    for text in (
        before.replace('{app.kubernetes.io/name: a, "on": "1"}', "{}"),
        before.replace(version, "apps/v1beta2"),
    ):
        assert fixed_text(text, "a.yaml", upgrade).text == text


def test_an_update_strategy_that_nobody_chose_is_left_to_people(
    upgrade: Upgrade,
) -> None:
    text = _DEPLOYMENT.replace("MORE", "").replace("  replicas: 2\n", "")
    text = text.replace("VERSION", "extensions/v1beta1").replace(
        "Deployment", "DaemonSet"
    )
    assert fixed_text(text, "a.yaml", upgrade).text == text
    chosen = text.replace(
        "spec:\n  t", "spec:\n  updateStrategy: {type: OnDelete}\n  t"
    )
    assert "apiVersion: apps/v1\n" in fixed_text(chosen, "a.yaml", upgrade).text


_JSON = """{
\t"apiVersion": "v1", "kind": "List",
\t"items": [
\t\t{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": 1}},
\t\t{"kind": "no object", "a": 1},
\t\t{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "\\u00e9"},
\t\t\t"spec": {"ingresClassName": "b", "tls": [{"hosts": "c"}]}}
\t]
}
"""


def test_json_and_items_of_lists_are_fixed(upgrade: Upgrade) -> None:
    expected = (
        _JSON.replace('"data": {"a": 1}', '"data": {"a": "1"}')
        .replace('"ingresClassName"', '"ingressClassName"')
        .replace('{"hosts": "c"}', '{"hosts": ["c"]}')
    )
    result = fixed_text(_JSON, "a.json", upgrade)
    assert result.text == expected
    text = f"kind: List\napiVersion: v1\nitems:\n{_in_list(_INGRESS)}"
    new = f"kind: List\napiVersion: v1\nitems:\n{_in_list(_NEW_INGRESS)}"
    assert fixed_text(text, "a.yaml", upgrade).text == new


def _in_list(text: str) -> str:
    """An object as the item of a list."""
    return "- " + text.replace("\n", "\n  ").removesuffix("  ")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("'pass: wörd'", "'cGFzczogd8O2cmQ='"),
        ("hello world", '"aGVsbG8gd29ybGQ="'),
        # Each of these may be meant as base64.
        ("password1", "password1"),
        ("YWJj,", "YWJj,"),
        ("user name", "user name"),
        ("LS0tLS1CRUdJTiBDRVJU SUZJQ0FURS0tLS0tCk1", None),
        ("${FIRST} and ${SECOND}", None),
        ("${PASSWORD}", "${PASSWORD}"),
        ("'...base64 encoded data...'", "'...base64 encoded data...'"),
        ("<your password!>", "<your password!>"),
    ],
)
def test_plain_text_in_a_secret_is_encoded(
    upgrade: Upgrade, value: str, expected: str | None
) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  key: "
    result = fixed_text(text + value, "a.yaml", upgrade)
    assert result.text == text + (expected or value)


def test_half_of_a_conversion_is_not_made(upgrade: Upgrade) -> None:
    text = (
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
        "spec: {minAvailable: 1, selector: {}}\n"
    )
    result = fixed_text(text, "a.yaml", upgrade)
    assert (result.text, result.fixes) == (text, 0)
    assert result.left


def test_other_documents_of_a_file_stay(upgrade: Upgrade) -> None:
    other = "# a\n{not: an object}\n---\n"
    text = f"{other}{_INGRESS}---\n{_POD.replace('MORE', '')}"
    expected = f"{other}{_NEW_INGRESS}---\n{_POD.replace('MORE', '')}"
    assert fixed_text(text, "a.yaml", upgrade).text == expected


def _run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--to", "1.35", "-q", "--fix", *args])


def test_a_file_that_cannot_be_fixed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: []}\n")
    for arguments in ([], ["--dry-run"]):
        result = _run(str(path), *arguments)
        assert re.search(r"a\.yaml: 0 fixed.*, 1 not fixed", result.stderr)
    path.write_bytes(b"kind: \xff")
    assert "not in UTF-8" in _run(str(path)).stderr


def test_the_command_writes_or_shows_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(_INGRESS)
    shown = _run(str(path), "--dry-run")
    assert "+  defaultBackend:\n" in shown.stdout
    assert path.read_text() == _INGRESS
    assert _run(str(path)).exit_code == 0
    assert path.read_text() == _NEW_INGRESS


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.nightly)])
def test_mistakes_are_fixed_to_what_was_meant(upgrade: Upgrade, count: int) -> None:
    """Of a text with a mistake, nothing but the mistake changes, or nothing at all."""
    objects = [*manifests(), *examples(load("1.35"), "starter").values()]
    outcomes: Counter[bool] = Counter()
    for mistake in hinted_mistakes(objects, upgrade.after, count):
        text = yaml.safe_dump(mistake.value, sort_keys=False, width=1000)
        result = fixed_text(text, "a.yaml", upgrade)
        if not result.fixes:
            continue
        [document] = documents(result.text, "a.yaml")
        is_version = mistake.mistake_class == "wrong version"
        if is_version:  # Another version may be as good.
            continue
        outcomes[document.value == mistake.original] += 1
        assert document.value == mistake.original or result.left, mistake.label
    assert outcomes[True] >= 0.95 * outcomes.total() > count


#: What YAML has besides plain values, and what it must not have.
_PIECES = (
    "\t", "\r", "\0", "\x85", "\u2028", "\ufeff", "&a ", "*a", "<<: *a\n", "!x ", "? a\n: b\n",
    "!!binary |\n  aGk=\n", "---\n", "...\n", "%YAML 1.1\n", "#", "'", '"', "|", "|+2\n", ">\n",
    "{", "}", "[", "]", ",", ": ", "- ", "{{ .Values.x }}", "${X}", "a: 1\na: 2\n", "~", "0x1F",
    "\U0001f600", "\n\n", "  ", "x" * 3_000, '"\\ud800"', "[" * 600, "{a: " * 600,
)  # fmt: skip
_COMMENT = re.compile(r"(?:^|(?<=\s))# .*", re.MULTILINE)


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.nightly)])
def test_no_byte_is_lost_that_is_not_understood(upgrade: Upgrade, count: int) -> None:
    """Of documents with anything between two that are fixed: comments, other documents
    and line breaks stay, and nothing is fixed twice."""
    chance = random.Random(32)
    fixes = 0
    for number in range(count):
        pieces = "".join(chance.choices(_PIECES, k=chance.randrange(1, 6)))
        damaged = chance.choice((_INGRESS, _POD))
        for _ in range(chance.randrange(3)):
            at = chance.randrange(len(damaged))
            damaged = damaged[:at] + chance.choice(_PIECES) + damaged[at:]
        text = f"{_INGRESS}---\nkept: {pieces}\n---\n{damaged}\n---\n{_INGRESS}"
        line_break = chance.choice(("\n", "\r\n"))
        text = text.replace("\n", line_break)
        result = fixed_text(text, "a.yaml", upgrade)
        fixes += result.fixes
        assert pieces.replace("\n", line_break) in result.text, number
        assert Counter(_COMMENT.findall(text)) == Counter(_COMMENT.findall(result.text))
        if line_break == "\r\n":
            assert result.text.count("\n") == result.text.count("\r\n"), number
        assert fixed_text(result.text, "a.yaml", upgrade).text == result.text, number
    assert fixes > count


def test_no_object_is_converted_by_half() -> None:
    """What cannot be fixed in the text leaves the whole object as it is."""
    text = """\
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: a}
spec:
  backend: {serviceName: a, servicePort: &a 80}
  tls: [{secretName: *a}]
"""
    upgrade = Upgrade(None, prepare(load("1.35")))
    assert fixed_text(text, "a.yaml", upgrade).text == text


def test_a_file_with_a_document_that_kubernetes_does_not_read_stays() -> None:
    text = _INGRESS + "--- {a: b}\n"
    upgrade = Upgrade(None, prepare(load("1.35")))
    assert fixed_text(text, "a.yaml", upgrade).text == text


_ALIASES = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: a
  labels: &labels
    app: a
    version: 1 # as text
spec:
  selector:
    matchLabels: *labels
  template:
    metadata:
      labels:
        <<: *labels
        tier: b
    spec:
      containers:
      - &main
        name: a
        image: a
        imagePullPolcy: Always
        ports: [{containerPort: '80'}]
      - <<: [*main]
        name: b
"""


def test_what_aliases_repeat_is_one_finding_fixed_at_its_anchor(
    upgrade: Upgrade,
) -> None:
    expected = (
        _ALIASES.replace("version: 1", 'version: "1"')
        .replace("imagePullPolcy", "imagePullPolicy")
        .replace("'80'", "80")
    )
    result = fixed_text(_ALIASES, "a.yaml", upgrade)
    assert result.text == expected
    assert (result.fixes, result.left) == (3, 0)
    errors = [
        finding
        for finding in findings_in(_ALIASES, "a.yaml", upgrade)
        if finding.severity == "error"
    ]
    assert [finding.line for finding in errors] == [7, 21, 22]
    for finding in errors:
        (change,) = replacements(_ALIASES, "a.yaml", finding)
        assert change.title == finding.hint
        assert _ALIASES.count("\n", 0, change.start) == finding.line - 1


@pytest.mark.parametrize(
    "text",
    [
        # A number is right in one of the places.
        "nodeSelector: &a {cpu: 1}\n  overhead: *a",
        "nodeSelector: &a\n    cpu: 1\n  overhead:\n    <<: *a",
        # What an alias stands for, rather than what is in it.
        'nodeName: &a "1"\n  priority: *a',
        "nodeName: &a 1\n  hostname: *a",
    ],
)
def test_what_aliases_use_in_different_ways_is_left(
    upgrade: Upgrade, text: str
) -> None:
    text = _POD.replace("MORE", f"  {text}")
    result = fixed_text(text, "a.yaml", upgrade)
    assert (result.text, result.fixes) == (text, 0)
    assert result.left


def test_an_object_with_aliases_is_converted_as_a_whole(upgrade: Upgrade) -> None:
    rules = """\
  rules:
  - http: &http
      paths:
      - path: /
        backend: *backend
  - host: a.b
    http: *http
"""
    before = _INGRESS.replace("backend:", "backend: &backend").replace(
        "  tls: []\n", rules
    )
    path_type = "        pathType: ImplementationSpecific\n"
    after = _NEW_INGRESS.replace("ckend:", "ckend: &backend").replace(
        "  tls: []\n", rules.replace("*backend\n", f"*backend\n{path_type}")
    )
    assert fixed_text(before, "a.yaml", upgrade).text == after


_WRONG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n"
_RIGHT = _WRONG.replace("{a: 1}", '{a: "1"}')


def test_no_file_is_written_before_all_are_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of our own leaves every file as it was."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.yaml").write_text(_WRONG)

    def fail_at_the_second(text: str, file: str, *others: Any) -> FixedText:
        if file.endswith("b.yaml"):
            raise AssertionError
        return fixed_text(text, file, *others)

    monkeypatch.setattr(fix, "fixed_text", fail_at_the_second)
    assert isinstance(_run(str(tmp_path)).exception, AssertionError)
    assert {path.read_text() for path in tmp_path.iterdir()} == {_WRONG}


def test_a_file_that_changed_meanwhile_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    path.write_text(_WRONG)
    other.write_text(_WRONG)

    def change_before(text: str, file: str, *others: Any) -> FixedText:
        path.write_text("# mine\n")
        return fixed_text(text, file, *others)

    monkeypatch.setattr(fix, "fixed_text", change_before)
    result = _run(str(tmp_path))
    assert "a.yaml: not fixed: it has changed meanwhile" in result.stderr
    assert (path.read_text(), other.read_text()) == ("# mine\n", _RIGHT)


def test_what_is_not_the_users_is_left(tmp_path: Path) -> None:
    """Links that a folder of others has lead anywhere; root may write what is read-only."""
    outside = tmp_path / "outside.txt"
    outside.write_text(_WRONG)
    folder = tmp_path / "k8s"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(outside)
    (folder / "read-only.yaml").write_text(_WRONG)
    (folder / "read-only.yaml").chmod(0o444)
    (folder / "generated.yaml").write_text(
        f"# Code generated by gen. DO NOT EDIT.\n{_WRONG}"
    )
    (folder / "mine.yaml").write_text(_WRONG)
    (folder / "mine.yaml").chmod(0o640)
    before = {path.name: path.read_text() for path in folder.iterdir()}
    result = _run(str(folder), str(folder / "link.yaml"))
    after = {path.name: path.read_text() for path in folder.iterdir()}
    assert after == {**before, "mine.yaml": _RIGHT}
    assert (folder / "mine.yaml").stat().st_mode & 0o777 == 0o640
    assert outside.read_text() == _WRONG
    for reason in ("is a link", "is read-only", "is generated"):
        assert f"not fixed: it {reason}" in result.stderr


def test_a_file_with_two_names_is_fixed_once(tmp_path: Path) -> None:
    folder = tmp_path / "k8s"
    folder.mkdir()
    (folder / "a.yaml").write_text(_WRONG)
    (tmp_path / "link").symlink_to(folder)
    result = _run(str(folder), str(tmp_path / "link"), str(folder / "a.yaml"))
    assert result.stderr.count("1 fixed") == 1
    assert (folder / "a.yaml").read_text() == _RIGHT


@pytest.mark.parametrize("option", ["--config", "--baseline"])
def test_what_is_left_out_of_the_report_is_left(tmp_path: Path, option: str) -> None:
    path, file = tmp_path / "a.yaml", tmp_path / "left-out"
    path.write_text(_WRONG)
    if option == "--config":
        file.write_text("[[ignore]]\nrule = 'wrong-type'\nreason = 'ours'\n")
    else:
        finding = {
            "rule": "wrong-type", "file": str(path), "apiVersion": "v1",
            "kind": "ConfigMap", "namespace": None, "name": "a", "path": "data.a",
        }  # fmt: skip
        file.write_text(json.dumps({"findings": [finding]}))
    assert _run(str(path), option, str(file)).exit_code == 0
    assert path.read_text() == _WRONG


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_lines_of_old_computers_are_left_and_a_mark_stays(
    upgrade: Upgrade, start: str
) -> None:
    text = start + _WRONG
    assert fixed_text(text, "a.yaml", upgrade).text == start + _RIGHT
    text = text.replace("\n", "\r")
    assert fixed_text(text, "a.yaml", upgrade).text == text


def test_a_diff_says_where_no_line_ends(upgrade: Upgrade) -> None:
    text = _WRONG.removesuffix("\n")
    lines = fixed_text(text, "a.yaml", upgrade).diff(text, "a.yaml").split("\n")
    assert lines[-5:] == [
        "-data: {a: 1}",
        "\\ No newline at end of file",
        '+data: {a: "1"}',
        "\\ No newline at end of file",
        "",
    ]
