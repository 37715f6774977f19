"""The page of the docs site that checks manifests knows the placeholders and ciphertexts of
the command, and says of the same values that it does not check them."""

from __future__ import annotations

import json
import random
from pathlib import Path

from kubestencil.checking.files.placeholders import (
    DELIMITERS,
    ENCRYPTED,
    PATTERNS,
    PLACEHOLDER,
    is_encrypted_file,
    is_template,
    reason_unknown,
)
from tests.browser import Browser
from tests.node import run_program
from tests.test_check_placeholders import CIPHERTEXTS, MEANT, PARTS, PLACEHOLDERS

SCRIPT = Path(__file__).parent.parent / "templates/site/assets/placeholders.js"
COUNT = 20_000
# What patterns and delimiters are made of.
TOKENS = [
    *(text for pairs in DELIMITERS.values() for pair in pairs for text in pair),
    *("%{", "@{", "?{", "[[", "]]", "((", "))", "<", ">", "_", "__", "@", "%", "$", "$("),
    *(")", "A", "a", "port", "1", " ", "\n", "\t", ".", "-", ":", "/", "#", "ref+", "://"),
    *("op://", "vault:", "ENC(", "EJ[1", "v1:", "{cipher}", "$ANSIBLE_VAULT;", "none"),
    *("-----BEGIN PGP MESSAGE-----", "no value", "Salted__", "é", "\u00a0", "\r\n"),
]  # fmt: skip
REASONS = {"": "", PLACEHOLDER: "has a placeholder", ENCRYPTED: "is encrypted"}
READ = f"""
globalThis.kubestencil = {{}};
(0, eval)(require("fs").readFileSync({json.dumps(str(SCRIPT))}, "utf8"));
const [table, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const {{ reasonUnknown, isTemplate, isEncryptedFile }} =
  globalThis.kubestencil.placeholderReader(table);
process.stdout.write(JSON.stringify(texts.map((value) =>
  [reasonUnknown({{ value }}).split(",")[0], isTemplate(value), isEncryptedFile(value)])));
"""
# Of a manifest in which nothing else is wrong.
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: a, image: a}]
  hostPID: TEXT
"""


def test_the_page_has_the_patterns_of_the_command() -> None:
    chance = random.Random(46)
    texts = [*PLACEHOLDERS, *CIPHERTEXTS, *PARTS, *MEANT]
    texts += (
        "".join(chance.choices(TOKENS, k=chance.randrange(1, 7))) for _ in range(COUNT)
    )
    expected = [
        [
            REASONS[reason_unknown(text)],
            is_template(text),
            is_encrypted_file(text.encode()),
        ]
        for text in texts
    ]
    table = {"delimiters": DELIMITERS, "patterns": PATTERNS}
    actual = run_program(READ, [table, texts])
    for text, one, other in zip(texts, actual, expected, strict=True):
        assert one == other, text
    assert sum(bool(reason) for reason, *_ in expected) > COUNT / 10


def test_the_page_checks_no_placeholder(browser: Browser, base_url: str) -> None:
    """Of values, names of fields, and documents that sops has encrypted."""
    values = {text: json.dumps(text) for text in (*PLACEHOLDERS, *CIPHERTEXTS, *MEANT)}
    documents = [POD.replace("TEXT", value) for value in values.values()]
    documents += [
        POD.replace("TEXT", "[[ PORT ]]"),
        POD.replace("hostPID: TEXT", '"${A}": 1'),
        POD.replace("hostPID: TEXT", "dnsPolicy: $(A)"),
        # What is right as it stands.
        POD.replace("hostPID: TEXT", "schedulerName: ${A}"),
        POD.replace("TEXT", "ENC[a]\nsops: {mac: a, version: 3.9.4}"),
    ]
    browser.open(f"{base_url}check/")
    browser.run(
        "const text = document.getElementById('manifest'); text.value = arguments[0];"
        "text.dispatchEvent(new Event('input'))",
        "---\n".join(documents),
    )
    browser.wait("/checked/.test(document.getElementById('check-summary').textContent)")
    found = browser.run(
        "return [...document.querySelectorAll('#check-results .find')]"
        ".map((found) => found.classList.contains('is-error') ? 'error'"
        " : found.querySelector('p').textContent.split(':')[0])"
    )
    expected = ["error" if text in MEANT else "not checked" for text in values]
    assert found == [*expected, *4 * ["not checked"]]
