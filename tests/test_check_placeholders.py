"""What is encrypted, or still to be filled in, is not checked and never fixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.kustomize import Kustomizations
from kubestencil.checking.files.placeholders import ENCRYPTED, PLACEHOLDER, kept_texts
from kubestencil.checking.fixing import fixed_text
from kubestencil.checking.release import prepare
from kubestencil.checking.run import Run
from kubestencil.checking.stored import results
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli import cli
from kubestencil.errors import SourceError
from kubestencil.lsp.findings import findings_in, replacements
from tests.conftest import load

_CIPHERTEXT = "ENC[AES256_GCM,data:QknYD968,iv:b8Aq=,tag:+BUr==,type:str]"
_SOPS = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: a
  labels: {{version: 1}}
data:
  password: {_CIPHERTEXT}
stringData:
  token: {_CIPHERTEXT}
MORE
sops:
  age:
  - recipient: age1example
    enc: |
      -----BEGIN AGE ENCRYPTED FILE-----
      YWJj
      -----END AGE ENCRYPTED FILE-----
  mac: {_CIPHERTEXT}
  version: 3.9.4
"""
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: a}
spec:
  ports: [{port: PORT}]
"""
_SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: TEXT}\n"
PLACEHOLDERS = (
    "${PORT}", "{{ .port }}", "$(PORT)", "<%= port %>", "$PORT", "$port", "#{port}#",
    "#{port}", "__PORT__", "__port__", "@PORT@", "@@port@@", "@{port}", "%PORT%",
    "%{port}", "[[ port ]]", "((port))", "($port)", "<port>", "<your port>", "<path:a/b#c>",
    "<path:a/b#c | base64encode>", "ref+vault://a/b#/c", "op://a/b/c", "vault:a/data/b#c",
    ">>vault:a/data/b#c", "?{vaultkv:a/b}", "{% if a %}80{% endif %}",
)  # fmt: skip
CIPHERTEXTS = (
    _CIPHERTEXT, "ENC[PKCS7,MIIB eQ]", "$ANSIBLE_VAULT;1.1;AES256\n6638\n", "{cipher}AQA",
    "-----BEGIN AGE ENCRYPTED FILE-----\nYWJj\n-----END AGE ENCRYPTED FILE-----\n",
    "-----BEGIN PGP MESSAGE-----\n\nwYwD\n-----END PGP MESSAGE-----\n", "EJ[1:a:b:c]",
    "vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zo==",
)  # fmt: skip
PARTS = ("user and ${X}!", "a: __A__", "$A:$B", "<path:a#b>!", "x-@A@", "#{a}#:%B%")
MEANT = (
    "http", "<none>", "<no value>", "<nil>", "a$b", "pa$$word", "p@ss@word", "50%",
    "a__b__c", "__", "$", "$1", "100%A", "<", "<1>", "[[:alpha:]]", "vault:1.15", "a@B@c",
)  # fmt: skip


def _run(*arguments: str) -> Result:
    options = ["check", "--to", "1.35", "--exact", "off", "-q", *arguments]
    return CliRunner().invoke(cli, options)


@pytest.fixture(scope="module")
def upgrade() -> Upgrade:
    return Upgrade(None, prepare(load("1.35")))


def _skips(text: str, upgrade: Upgrade) -> list[tuple[str, int]]:
    """What is not checked of a text that has no findings and is not fixed."""
    run = Run(upgrade, Kustomizations())
    for finish in run.start([ManifestFile("a.yaml", content=text.encode())]):
        finish()
    assert run.found.findings == []
    assert fixed_text(text, "a.yaml", upgrade).text == text
    return [(skip.reason, skip.times) for skip in run.found.skips]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_counts_as_not_checked(text: str, upgrade: Upgrade) -> None:
    value = json.dumps(text)
    for content in (
        _SERVICE.replace("PORT", value),
        _SECRET.replace("TEXT", value),
        # The name of a field.
        _SERVICE.replace("{port: PORT}", f"{{{value}: 1, port: 1}}"),
    ):
        assert _skips(content, upgrade) == [(PLACEHOLDER, 1)]


@pytest.mark.parametrize("text", PARTS)
def test_a_placeholder_may_be_a_part(text: str, upgrade: Upgrade) -> None:
    content = _SECRET.replace("TEXT", json.dumps(text))
    assert _skips(content, upgrade) == [(PLACEHOLDER, 1)]


@pytest.mark.parametrize("text", CIPHERTEXTS)
def test_a_ciphertext_counts_as_not_checked(text: str, upgrade: Upgrade) -> None:
    content = _SECRET.replace("TEXT", json.dumps(text))
    assert _skips(content, upgrade) == [(ENCRYPTED, 1)]


@pytest.mark.parametrize("text", MEANT)
def test_a_text_that_is_meant_as_it_is_is_checked(text: str, upgrade: Upgrade) -> None:
    content = _SERVICE.replace("PORT", json.dumps(text))
    findings = findings_in(content, "a.yaml", upgrade)
    assert [finding.rule_id for finding in findings] == ["wrong-type"]


@pytest.mark.parametrize("port", ["@PORT@", "%PORT%", "[[ PORT ]]", "{{ .port }}"])
def test_a_placeholder_without_quotes_is_no_mistake(
    port: str, upgrade: Upgrade
) -> None:
    content = _SERVICE.replace("[{port: PORT}]", f"\n  - port: {port}")
    ((reason, count),) = _skips(content, upgrade)
    assert reason in (PLACEHOLDER, "unrendered template")
    assert count == 1
    # A mistake elsewhere is one.
    assert findings_in(content.replace(port, "1\n \tx"), "a.yaml", upgrade)


@pytest.mark.parametrize("text", [*PLACEHOLDERS, *CIPHERTEXTS])
def test_no_edit_may_remove_a_placeholder(text: str) -> None:
    assert kept_texts(_SERVICE.replace("PORT", json.dumps(text)))


def test_what_is_in_clear_beside_ciphertext_is_checked_and_stays(
    tmp_path: Path, upgrade: Upgrade
) -> None:
    """The code of sops covers every value, so that a change of any breaks the file."""
    content = _SOPS.replace("MORE", "typ: Opaque")
    for text in (
        content,
        content + "---\n" + content,
        # As an item of a list, which has the block.
        f"apiVersion: v1\nkind: List\nitems:\n- {content.partition('sops:')[0]}".replace(
            "\n", "\n  "
        )
        .replace("\n  kind: List\n  items:\n  - ", "\nkind: List\nitems:\n- ")
        .rstrip(" ")
        + f"sops: {{mac: {json.dumps(_CIPHERTEXT)}, version: 3.9.4}}\n",
    ):
        path = tmp_path / "a.yaml"
        path.write_text(text)
        result = _run(str(path), "--fix", "-f", "json")
        assert path.read_text() == text
        report = json.loads(result.stdout)
        count = text.count("kind: Secret")
        found = [(one["rule"], one["path"], one["fixes"]) for one in report["findings"]]
        assert found == count * [
            ("wrong-type", "metadata.labels.version", []),
            ("unknown-field", "typ", []),
        ]
        assert report["skipped"] == [
            {"reason": ENCRYPTED, "detail": "", "count": count}
        ]
        # No editor offers to change it either.
        for finding in findings_in(text, "a.yaml", upgrade):
            assert list(replacements(text, "a.yaml", finding)) == []


@pytest.mark.nightly
def test_every_format_says_what_is_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(_SOPS.replace("MORE", ""))
    for name in ("text", "markdown", "html", "json", "sarif", "junit", "github"):
        result = _run(str(path), "-f", name)
        assert ENCRYPTED in result.stdout, name
        assert "illegal base64" not in result.stdout, name


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.yaml", b"\0GITCRYPT\0\xff\xfe\0"),
        ("a.yaml", b"age-encryption.org/v1\n-> X25519 \xff"),
        ("a.yaml", b"-----BEGIN AGE ENCRYPTED FILE-----\nYWJj\n"),
        ("a.yaml", b"-----BEGIN PGP MESSAGE-----\n\nYWJj\n"),
        ("a.yaml", b"$ANSIBLE_VAULT;1.1;AES256\n6131\n6132\n"),
        ("a.yaml", b"U2FsdGVkX1+aaaa\n"),
        (
            "a.json",
            b'{"data": "ENC[a]", "sops": {"mac": "ENC[b]", "version": "3.9.4"}}',
        ),
        ("a.yaml", b"data: ENC[a]\nsops:\n  mac: ENC[b]\n"),
        ("a.yaml", b"kind: Secret\ndata: ENC[a]\nsops:\n  mac: ENC[b]\n"),
        ("a.yaml", b"apiVersion: ENC[a/b]\nkind: ENC[c]\nsops:\n  mac: ENC[b]\n"),
    ],
)
def test_a_file_that_is_encrypted_is_not_read(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "b.yaml").write_text(_SERVICE.replace("PORT", "1"))
    result = _run(str(tmp_path), "--fix")
    assert result.exit_code == 0, result.output
    assert "Not checked: 1 (encrypted" in result.stdout
    assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("operation", ["default", "convert"])
def test_an_encrypted_object_is_not_printed_without_its_keys(
    tmp_path: Path, operation: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(_SOPS.replace("MORE", ""))
    with pytest.raises(SourceError, match="is encrypted"):
        # Nothing is asked of the API server's code.
        list(results([str(path)], operation, None, to="v1", warn=print))  # type: ignore[arg-type]
