"""A validator says of custom resources and their definitions what the API server says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kubestencil
from kubestencil.cli import cli
from kubestencil.source.yaml import documents
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.api_server import Client, Reply
from tests.mutations import Mutant, mutants
from tests.test_validator import validator

__all__ = ["validator"]

pytestmark = pytest.mark.server

_FOLDER = Path(__file__).parent / "crds"
_DRY_RUN = "?dryRun=All&fieldValidation=Strict"
_SEED = 27
_LONG = 5_000
# A server that serves the kind.
_VERDICTS = (200, 201, 400, 422)


def _read(name: str) -> list[dict[str, Any]]:
    text = (_FOLDER / name).read_text("utf-8")
    return [document.value for document in documents(text, name)]


@pytest.fixture
def definitions() -> list[dict[str, Any]]:
    return _read("rules.yaml")


@pytest.fixture
def objects() -> list[dict[str, Any]]:
    """Objects that a server accepts, and one whose rules cost too much."""
    accepted = _read("ruled.yaml")
    costly = {**accepted[-1], "spec": {"numbers": [1] * 800}}
    return [*accepted, costly]


@pytest.fixture
def prepared(
    validator: Validator, definitions: list[dict[str, Any]]
) -> Iterator[Validator]:
    """The validator with the definitions."""
    with Validator(validator.program, definitions=definitions) as process:
        yield process


def _json_mutants(valid: list[dict[str, Any]], count: int) -> Iterator[Mutant]:
    for mutant in mutants(valid, _SEED, count):
        if not mutant.is_yaml and json.loads(mutant.text) == mutant.value:
            yield mutant


def _difference(reply: Reply, answer: Answer) -> str:
    """How an answer differs from that of the server, in words; empty if they are equal.

    The program cuts long texts.
    """
    ours, theirs = (
        Counter((field, reason, message[:_LONG]) for field, reason, message in causes)
        for causes in (
            ((cause.field, cause.reason, cause.message) for cause in answer.causes),
            reply.causes,
        )
    )
    is_equal = (
        reply.status == answer.code
        and ours == theirs
        # Where there are several causes, a server says them in any order.
        and (len(ours) > 1 or reply.message[:_LONG] == answer.message[:_LONG])
        and (reply.status >= 300 or set(reply.warnings) == set(answer.warnings))
    )
    return "" if is_equal else f"{reply.status} {reply} / {answer}"[:2000]


def _assert_equal(pairs: list[tuple[Reply, Answer]], at_least: int) -> None:
    compared = [pair for pair in pairs if pair[0].status in _VERDICTS]
    differences = [text for pair in compared if (text := _difference(*pair))]
    assert len(compared) >= at_least
    assert not differences, "\n".join(differences[:10]) + f"\n{len(differences)}"


def test_verdicts_on_custom_resources_are_those_of_the_server(
    api_server: Client,
    prepared: Validator,
    definitions: list[dict[str, Any]],
    objects: list[dict[str, Any]],
) -> None:
    """Codes, messages, causes and warnings to the letter: pruning, defaults, formats,
    lists, embedded objects, rules in CEL and their costs."""
    api_server.install(definitions)
    *accepted, costly = objects
    changed = *_json_mutants(accepted, 700), *_json_mutants([costly], 10)
    values = [*objects, *(mutant.value for mutant in changed)]
    replies = api_server.submit_all(values)
    answers = list(prepared.ask(Request("create", value) for value in values))
    assert any("cost" in reply.message for reply in replies)
    _assert_equal(list(zip(replies, answers, strict=True)), 400)


@pytest.mark.nightly
def test_verdicts_on_updates_are_those_of_the_server(
    api_server: Client,
    prepared: Validator,
    definitions: list[dict[str, Any]],
    objects: list[dict[str, Any]],
) -> None:
    """Rules that compare with the old object, and mistakes that were there before."""
    api_server.install(definitions)
    stored = [_renamed(value) for value in objects[:3]]
    for value in stored:
        api_server.create(value)
    updates = [
        (mutant.original, json.loads(mutant.text))
        for mutant in _json_mutants(stored, 500)
        if _identity(mutant.value) == _identity(mutant.original)
    ]
    replies = [_replace(api_server, value) for _, value in updates]
    answers = list(
        prepared.ask(Request("update", value, old=old) for old, value in updates)
    )
    _assert_equal(list(zip(replies, answers, strict=True)), 200)


def _renamed(value: dict[str, Any]) -> dict[str, Any]:
    """An object that other tests do not create."""
    metadata = value["metadata"]
    return {**value, "metadata": {**metadata, "name": f"was-{metadata['name']}"}}


def _identity(value: Any) -> object:
    metadata = value.get("metadata")
    names = isinstance(metadata, dict) and [
        metadata.get(k) for k in ("name", "namespace")
    ]
    return value.get("apiVersion"), value.get("kind"), names


def _replace(client: Client, value: Mapping[str, Any]) -> Reply:
    """Update an object that is stored: dry run."""
    path = f"{client.create_path(value)}/{value['metadata']['name']}"
    current = client.get(path)["metadata"]
    metadata = {**value["metadata"], "resourceVersion": current["resourceVersion"]}
    body = json.dumps({**value, "metadata": metadata}).encode()
    return client.request("PUT", f"{path}{_DRY_RUN}", body)


@pytest.mark.nightly
def test_verdicts_on_definitions_are_those_of_the_server(
    api_server: Client, validator: Validator, definitions: list[dict[str, Any]]
) -> None:
    """Schemas that are not structural, rules that do not compile or cost too much,
    defaults that are not valid."""
    text = json.dumps(definitions).replace("rules.example.com", "wrong.example.com")
    valid = json.loads(text)
    values = [
        *valid,
        *(json.loads(text.replace(old, new))[0] for old, new in _WRONG),
        *(mutant.value for mutant in _json_mutants(valid, 400)),
    ]
    replies = api_server.submit_all(values)
    answers = list(validator.ask(Request("create", value) for value in values))
    assert all(old in text for old, _ in _WRONG)
    assert sum(reply.status == 422 for reply in replies) > 50
    _assert_equal(list(zip(replies, answers, strict=True)), 300)


def test_another_process_is_given_the_definitions_again(
    prepared: Validator, objects: list[dict[str, Any]]
) -> None:
    for _ in range(2):
        (answer,) = prepared.ask([Request("create", objects[0])])
        assert answer.code == 201
        prepared.close()


def test_python_programs_name_definitions(
    validator: Validator,
    definitions: list[dict[str, Any]],
    objects: list[dict[str, Any]],
) -> None:
    answers = kubestencil.validate(objects, "1.35", definitions=definitions)
    assert [answer.code for answer in answers] == [201] * (len(objects) - 1) + [422]


def test_check_has_the_words_of_the_server(
    validator: Validator, tmp_path: Path
) -> None:
    """Rules in CEL are applied, what a schema refuses is said once, and what a server
    cannot decode is said with a hint."""
    text = (_FOLDER / "ruled.yaml").read_text("utf-8").partition("---")[0]
    path = tmp_path / "ruled.yaml"
    crds = str(_FOLDER / "rules.yaml")
    for spec, expected in (
        ("{size: 3, mode: auto}", set()),
        ("{size: 3, mode: auto, minimum: 5}", {("forbidden-field", "spec.minimum")}),
        (
            "{size: 300, mode: auto, tags: [a, a]}",
            {("invalid-value", "spec.size"), ("duplicate-item", "spec.tags[1]")},
        ),
        ("{size: 3, mode: auto, sise: 3}", {("unknown-field", "spec.sise")}),
    ):
        path.write_text(text.replace("{size: 3, mode: auto}", spec))
        arguments = ["check", str(path), "--to", "1.35", "--crds", crds, "-f", "json"]
        result = CliRunner().invoke(cli, [*arguments, "-q"])
        report = json.loads(result.output)
        found = {(item["rule"], item["path"]) for item in report["findings"]}
        assert found == expected
        assert "CEL" not in result.output or "unknown-field" in result.output


def test_check_says_where_a_server_has_no_verdict(
    validator: Validator, tmp_path: Path
) -> None:
    """A definition that a server refuses is none, and its schema still decides."""
    text = (_FOLDER / "ruled.yaml").read_text("utf-8").partition("---")[0]
    (tmp_path / "ruled.yaml").write_text(text.replace("size: 3", "size: 300"))
    crds = (_FOLDER / "rules.yaml").read_text("utf-8")
    path = tmp_path / "rules.yaml"
    path.write_text(crds.replace("self == oldSelf,", "self == nothing,"))
    arguments = ["check", str(tmp_path / "ruled.yaml"), "--crds", str(path)]
    result = CliRunner().invoke(cli, [*arguments, "--to", "1.35", "-q"])
    assert "maximum 100" in result.output and "refused by the API" in result.output


def test_defaults_and_conversions_of_custom_resources(validator: Validator) -> None:
    text = (_FOLDER / "ruled.yaml").read_text("utf-8").partition("---")[0]
    crds = ["--crds", str(_FOLDER / "rules.yaml"), "--release", "1.35"]
    result = CliRunner().invoke(cli, ["default", "-", *crds], input=text)
    assert "color: red" in result.output and "level: 1" in result.output
    to = ["--to", "rules.example.com/v1beta1"]
    result = CliRunner().invoke(cli, ["convert", "-", *to, *crds], input=text)
    assert "size: 3" in result.output and "mode" not in result.output


# Texts of the first definition in JSON, and what they become.
_WRONG = (
    ("has to be https", "has\\nto be https"),
    ("self == oldSelf", "self = oldSelf"),
    ("self == oldSelf", "self.nothing == oldSelf"),
    ("size(self.metadata.name) < 20", "size(self.metadata.uid) < 20"),
    ("isQuantity(self)", "isNothing(self)"),
    ("size(self.metadata.name) < 20", "size(self.metadata.name)"),
    ('"default": "red"', '"default": "r"'),
    ('"default": "red"', '"default": 1'),
    ('"default": "there"', '"default": null'),
    ('"minLength": 3', '"uniqueItems": true'),
    ('"type": "integer", "format": "int32"', '"format": "int32"'),
    ('"x-kubernetes-list-map-keys": ["number"', '"x-kubernetes-list-map-keys": ["no"'),
    ('"maxItems": 5, "x-kubernetes-list-type": "map"', '"maxItems": 5'),
    ('"pattern": "^[a-z]+$"', '"pattern": "("'),
    ('"optionalOldSelf": true', '"optionalOldSelf": false'),
    ('"fieldPath": ".minimum"', '"fieldPath": ".nothing"'),
    ('"reason": "FieldValueForbidden"', '"reason": "Nothing"'),
    ('"storage": true', '"storage": false'),
    ('"scope": "Namespaced"', '"scope": "Everywhere"'),
    ('"maxItems": 20', '"minItems": 20'),
)
