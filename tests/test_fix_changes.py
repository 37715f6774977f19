"""``check --fix`` changes what its findings name, and nothing else: of random files, with
comments, anchors, aliases, merge keys, block texts, several documents, line ends and what
people and programs have encrypted or still fill in."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import pytest

from kubestencil.checking.findings import Finding
from kubestencil.checking.fixing import fixed_text
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.lsp.findings import findings_in, replacements
from tests.conftest import load

# 2,000 take five minutes.
_FILES = int(os.environ.get("KUBESTENCIL_FIXED_FILES", "60"))


class _Mistake(NamedTuple):
    """A text that is wrong, and what it is to become: in one object, or in several."""

    wrong: str
    right: str
    findings: int = 1


_Segment = str | _Mistake

_COMMENTS = (
    "",
    "",
    "",
    " # ünï ☃ \U0001f600",
    "  # a: {b",
    " # {{ x }} ENC[a]",
    "\t# c",
)
_LINES = ("", "", "", "# kept: *a\n", "\n", "#\n\n", "# \u2028# x\n")
_UNKNOWN = (
    "${X}", "$X", "$(X)", "'{{ .x }}'", '"#{x}#"', "__X__", "'@X@'", "'%X%'", "<x>",
    "<path:a/b#c | base64encode>", "'[[ x ]]'", "[[ x ]]", "((x))", "'%{x}'",
    "ENC[AES256_GCM,data:a+/=,iv:b=,tag:c==,type:str]", "ref+vault://a/b#c", "op://a/b/c",
)  # fmt: skip
_BLOCKS = (
    "|\n{0}a: 1 # no comment\n{0}  *b\n\n{0}- ENC[x]\n",
    "|-\n{0}---x\n{0}sops: é\n",
    ">+\n{0}folded\n{0}text ${{X}}\n\n",
    "!!str |\n{0}tagged\n",
)
_CIPHERTEXTS = (
    "ENC[AES256_GCM,data:QknYD968,iv:b8Aq=,tag:+BUr==,type:str]",
    "ENC[PKCS7,MIIBeQYJKo ZIhvcNAQcDoIIBajCCAWYCAQAx]",
    "$ANSIBLE_VAULT;1.1;AES256 6638",
    "|\n    -----BEGIN AGE ENCRYPTED FILE-----\n    YWJj\n    -----END AGE ENCRYPTED FILE-----",
    "|-\n    -----BEGIN PGP MESSAGE-----\n\n    wYwDEEVDpnzXnMABBACBf7lGw8B1c0wYwC==\n",
    "!vault |\n    $ANSIBLE_VAULT;1.1;AES256\n    66386439653236336462",
    "vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w==",
    "'{cipher}AQA! x y'",
)


class _Writer:
    """Writes random documents: texts, and the mistakes in them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def file(self) -> list[_Segment]:
        """A file of some documents, with its line ends."""
        documents: list[Callable[[], Iterator[_Segment]]] = [
            self._deployment, self._deployment, self._secret, self._config_map,
            self._braces, self._list, self._other,
        ]  # fmt: skip
        parts: list[_Segment] = ["\ufeff"] if self._is_rare() else []
        for number in range(self.chance.randrange(1, 5)):
            parts += [f"---{self._of(_COMMENTS)}\n"] if number else []
            parts += self.chance.choice(documents)()
        end = self.chance.choice(("\n", "\n", "\r\n"))
        parts = [_with_ends(part, end) for part in parts]
        if self._is_rare() and isinstance(parts[-1], str):
            parts[-1] = parts[-1].rstrip("\r\n")
        return parts

    def _of(self, texts: Sequence[str]) -> str:
        return self.chance.choice(texts)

    def _is_rare(self) -> bool:
        return self.chance.random() < 0.2

    def _slot(self, right: str, *wrong: str) -> _Segment:
        """A value: right, wrong, or not known yet."""
        kind = self.chance.randrange(4)
        if kind == 0 and right != wrong[0]:
            return self._of(_UNKNOWN)
        return _Mistake(self._of(wrong), right) if kind < 3 else right

    def _line(self, indent: int, key: _Segment, *value: _Segment) -> Iterator[_Segment]:
        """A field, with comments at it and before it."""
        yield f"{self._of(_LINES)}{' ' * indent}"
        yield key
        yield ":" + " " * self.chance.randrange(1, 3)
        yield from value
        yield f"{self._of(_COMMENTS)}\n"

    def _deployment(self) -> Iterator[_Segment]:
        yield from self._line(0, "apiVersion", "apps/v1")
        yield "kind: Deployment\nmetadata:\n  name: a\n  labels: &labels\n    app: e\n"
        yield from self._line(4, "version", self._slot('"1"', "1"))
        if self._is_rare():
            block = self._of(_BLOCKS).format("      ")
            yield f"  annotations:\n    note: {block}"
        yield "spec:\n"
        yield from self._line(2, "replicas", self._slot("3", "'3'", '"3"'))
        history = _Mistake("revisonHistoryLimit", "revisionHistoryLimit")
        yield from self._line(2, self.chance.choice((history, history.right)), "2")
        if self.chance.random() < 0.5:
            yield "  selector:\n    matchLabels: *labels\n"
        else:
            yield "  selector:\n    matchLabels:\n      <<: *labels # merged\n"
        yield "  template:\n    metadata:\n      labels:\n        <<: [*labels]\n        b: c\n"
        yield "    spec:\n      containers:\n      - &main\n        name: a\n"
        yield from self._line(8, "image", self._of(('"a:1"', "a", "${IMAGE}")))
        policy = self._slot("Always", "always", "Alway")
        yield from self._line(8, "imagePullPolicy", policy)
        yield from self._line(8, "command", self._slot("[sh]", "sh"))
        yield from self._line(8, "tty", self._slot("true", "'true'", '"true"'))
        yield from self._line(8, "env")
        yield "        - name: X\n"
        yield from self._line(10, "value", self._slot('"12"', "12"))
        if self._is_rare():
            yield "      - <<: *main\n        name: b\n"
        yield "      initContainers:\n      - name: c\n        image: c\n        args:\n"
        yield f"        - $X\n        - '@X@'\n        - {self._of(_UNKNOWN[:5])}\n"
        if self._is_rare():  # A number is right in one place, and wrong in the other.
            yield "      nodeSelector: &n {cpu: 1}\n      overhead: *n\n"
        policy = _Mistake("restartPolcy", "restartPolicy")
        yield from self._line(6, self.chance.choice((policy, policy.right)), "Always")

    def _secret(self) -> Iterator[_Segment]:
        """Where sops has encrypted it, all of it stays, what is in clear, too."""
        is_encrypted = self.chance.random() < 0.4
        yield "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
        label = self._slot('"1"', "1")
        if is_encrypted and isinstance(label, _Mistake):
            label = label.wrong
        yield "  labels:\n"
        yield from self._line(4, "version", label)
        yield "data:\n"
        for key in "abc":
            text = self._slot("'cGFzczogd8O2cmQ='", "'pass: wörd'")
            if is_encrypted or isinstance(text, str):
                text = self._of((*_CIPHERTEXTS, *_UNKNOWN, "a-__B__-c!", "u:$PASS@h "))
            yield f"  {key}: "
            yield text
            yield "\n"
        if is_encrypted:
            yield f"sops:\n  mac: {_CIPHERTEXTS[0]}\n  version: 3.7.3\n"

    def _config_map(self) -> Iterator[_Segment]:
        yield "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
        for key in "abc":
            if self._is_rare():
                yield f"  {key}: {self._of(_BLOCKS).format('    ')}"
            else:
                yield from self._line(2, key, self._slot('"1"', "1"))

    def _braces(self) -> Iterator[_Segment]:
        yield '{"apiVersion": "v1", "kind": "ConfigMap",\n "metadata": {"name": "a", "annotations": {"é": "\\u00e9"}}, "data": {"a": '
        yield self.chance.choice((_Mistake("1", '"1"'), '"${X}"', '"x"'))
        yield ', "b": "ENC[x]"}}\n'

    def _list(self) -> Iterator[_Segment]:
        yield "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
        yield "  metadata: {name: a}\n  data: &data\n"
        value = self._slot('"1"', "1")
        if isinstance(value, _Mistake):
            value = value._replace(findings=2)
        yield from self._line(4, "a", value)
        yield "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n  data: *data\n"

    def _other(self) -> Iterator[_Segment]:
        yield self._of(
            (
                "# nothing\n",
                "{{- if x }}\na: 1\n{{- end }}\n",
                "a: 1\na: 2\n",
                "apiVersion: ENC[a]\nkind: ENC[b]\nsops: {mac: x, version: y}\n",
                "apiVersion: v1\nkind: __KIND__\ndata: {a: 1}\n",
                "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec:\n"
                "  encryptedData: {a: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq}\n",
            )
        )


def _with_ends(segment: _Segment, end: str) -> _Segment:
    if isinstance(segment, str):
        return segment.replace("\n", end)
    return segment


def _written(segments: Sequence[_Segment], *, is_right: bool = False) -> str:
    return "".join(
        part if isinstance(part, str) else part.right if is_right else part.wrong
        for part in segments
    )


@pytest.fixture(scope="module")
def upgrade() -> Upgrade:
    return Upgrade(None, prepare(load("1.35")))


def _lines(text: str, upgrade: Upgrade) -> set[int]:
    """The lines that have findings with a fix."""
    return {one.line for one in findings_in(text, "a.yaml", upgrade) if one.fixes}


def _check(seed: int, upgrade: Upgrade) -> tuple[int, int]:
    """Fix a random file. The numbers of its mistakes, and of those that were fixed."""
    segments = _Writer(seed).file()
    text = _written(segments)
    result = fixed_text(text, "a.yaml", upgrade)
    # Nothing but mistakes has changed, and these only to what was meant.
    pattern = "".join(
        (
            re.escape(part)
            if isinstance(part, str)
            else f"({re.escape(part.wrong)}|{re.escape(part.right)})"
        )
        for part in segments
    )
    match = re.fullmatch(pattern, result.text)
    assert match, (seed, result.diff(text, "a.yaml"))
    mistakes = [
        (index, part)
        for index, part in enumerate(segments)
        if isinstance(part, _Mistake)
    ]
    outcomes = list(zip(mistakes, match.groups(), strict=True))
    fixed = [index for (index, part), now in outcomes if now == part.right]
    fixes = sum(part.findings for (_, part), now in outcomes if now == part.right)
    assert result.fixes == fixes, seed
    # Each change has a finding that is gone; some are said once others are fixed.
    starts = list(accumulate(map(len, map(_before, segments)), initial=0))
    reported = _lines(text, upgrade)
    left = _lines(result.text, upgrade)
    for index in fixed:
        line = text.count("\n", 0, starts[index]) + 1
        assert line not in left, (seed, line)
        if line not in reported:
            again = [
                part if at == index or isinstance(part, str) else part.right
                for at, part in enumerate(segments)
            ]
            assert line in _lines(_written(again), upgrade), (seed, line)
    second = fixed_text(result.text, "a.yaml", upgrade)
    assert (second.text, second.fixes) == (result.text, 0), seed
    return len(mistakes), len(fixed)


def _before(segment: _Segment) -> str:
    return segment if isinstance(segment, str) else segment.wrong


@pytest.mark.parametrize("count", [10, pytest.param(_FILES, marks=pytest.mark.nightly)])
def test_what_changed_is_what_the_findings_name(upgrade: Upgrade, count: int) -> None:
    outcomes = [_check(seed, upgrade) for seed in range(count)]
    mistakes, fixed = map(sum, zip(*outcomes, strict=True))
    assert fixed >= 0.9 * mistakes > count


def test_quick_fixes_change_no_more(upgrade: Upgrade) -> None:
    """Each replaces nothing but mistakes, and never what is encrypted or a placeholder."""
    changes = 0
    for seed in range(_FILES // 6):
        segments = _Writer(seed).file()
        text = _written(segments)
        pattern = "".join(
            (
                re.escape(part)
                if isinstance(part, str)
                else f"(?:{re.escape(part.wrong)}|{re.escape(part.right)})"
            )
            for part in segments
        )
        findings: list[Finding] = findings_in(text, "a.yaml", upgrade)
        for finding in findings:
            for change in replacements(text, "a.yaml", finding):
                new = text[: change.start] + change.new + text[change.end :]
                assert new != text
                assert re.fullmatch(pattern, new), (seed, finding)
                changes += 1
    assert changes > _FILES // 6
