"""``check --fix`` mends what is sure, and leaves all other bytes as they are."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from kubestencil.checking.fixing import fixed_text
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli import cli
from kubestencil.source.yaml import documents
from tests.conftest import load
from tests.hint_mistakes import accepted_objects, hinted_mistakes

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
def test_what_is_sure_is_mended_and_nothing_else(
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
def test_what_is_in_braces_is_mended_in_them(upgrade: Upgrade, quote: str) -> None:
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


def test_json_and_items_of_lists_are_mended(upgrade: Upgrade) -> None:
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


def test_a_file_that_cannot_be_mended_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: []}\n")
    for arguments in ([], ["--dry-run"]):
        result = _run(str(path), *arguments)
        assert re.search(r"a\.yaml: 0 mended.*, 1 left to you", result.stderr)
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


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_mistakes_are_mended_to_what_was_meant(upgrade: Upgrade, count: int) -> None:
    """Of a text with a mistake, nothing but the mistake changes, or nothing at all."""
    objects = accepted_objects(load("1.35"), None)
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


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_no_byte_is_lost_that_is_not_understood(upgrade: Upgrade, count: int) -> None:
    """Of documents with anything between two that are mended: comments, other documents
    and line breaks stay, and nothing is mended twice."""
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
    """What cannot be mended in the text leaves the whole object as it is."""
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
