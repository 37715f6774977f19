"""The code of a selected field, in headless Chromium: its YAML is the example that a server
accepts and keeps, and its patch makes that of the starter."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.validator.process import Validator
from specs.make.examples.questions import Question, kept, questions
from tests.browser import DEPLOYMENT, DESK, PHONE, POD, Browser
from tests.conftest import load
from tests.validators import built_validator

RELEASE = "1.35"
# Kinds with unions, lists that are merged by a key, and values of the kind's own.
KINDS = (
    "apps/v1/Deployment", "apps/v1/StatefulSet", "autoscaling/v2/HorizontalPodAutoscaler",
    "batch/v1/CronJob", "core/v1/PersistentVolume", "core/v1/Pod", "core/v1/Service",
    "networking.k8s.io/v1/Ingress", "networking.k8s.io/v1/NetworkPolicy",
    "storage.k8s.io/v1/StorageClass",
)  # fmt: skip
#: The share of fields whose YAML a server accepts and keeps, as of all fields.
SHARE = 0.98
CODE = "return document.querySelector(`#field-code .${arguments[0]} code`)?.textContent"
LINES = "return [...document.querySelectorAll('#field-code .yaml mark')].map((line) => line.textContent)"
NOTE = "return document.querySelector('#field-code > p')?.textContent"


@cache
def _examples() -> FieldExamples:
    return FieldExamples(load(RELEASE))


def _asked(count: int) -> Sequence[Question]:
    """Some fields of each of the kinds, which need no gate."""
    addresses = page_addresses(load(RELEASE))
    by_page: dict[str, list[Question]] = {}
    for question in questions(load(RELEASE)):
        if not question.gates:
            page = addresses[question.definition].path
            by_page.setdefault(page, []).append(question)
    choose = random.Random(51).sample
    return [question for page in KINDS for question in choose(by_page[page], count)]


def _codes(
    browser: Browser, base_url: str, asked: Sequence[Question], language: str
) -> list[Any]:
    """What the code of fields in YAML, or of patches, says."""
    addresses = page_addresses(load(RELEASE))
    browser.screen(DESK)
    shown, found = "", []
    for question in asked:
        page = f"{base_url}{RELEASE}/{addresses[question.definition].path}/"
        if page == shown:
            browser.run("location.hash = arguments[0]", question.path)
        else:
            browser.open(f"{page}#{question.path}")
        shown = page
        browser.wait(
            "document.querySelector('li.here')?.id === arguments[0] && "
            "document.getElementById('field-code')",
            question.path,
        )
        found.append(yaml.safe_load(browser.run(CODE, language)))
    return found


def _example(question: Question) -> Any:
    definition = load(RELEASE).definitions[question.definition]
    return _examples().example(definition, question.path)


@pytest.mark.server
def test_a_server_keeps_the_yaml_of_fields(browser: Browser, base_url: str) -> None:
    asked = _asked(5)
    shown = _codes(browser, base_url, asked, "yaml")
    assert shown == [_example(question) for question in asked]
    items = zip(asked, shown, strict=True)
    with Validator(built_validator(RELEASE)) as validator:
        answers = kept(load(RELEASE), validator, items)
    assert sum(answers) >= SHARE * len(asked)


@pytest.mark.peer("kubectl")
def test_a_patch_makes_the_example_of_the_starter(
    browser: Browser, base_url: str, tmp_path: Path
) -> None:
    asked = _asked(2)
    different = []
    for question, kustomization in zip(
        asked, _codes(browser, base_url, asked, "kustomize"), strict=True
    ):
        definition = load(RELEASE).definitions[question.definition]
        starter = yaml.safe_dump(_examples().starter(definition))
        (tmp_path / "starter.yaml").write_text(starter)
        text = yaml.safe_dump({**kustomization, "resources": ["starter.yaml"]})
        (tmp_path / "kustomization.yaml").write_text(text)
        done = subprocess.run(
            ["kubectl", "kustomize", str(tmp_path)], capture_output=True, text=True
        )
        assert done.returncode == 0, (question, done.stderr)
        if yaml.safe_load(done.stdout) != _example(question):
            different.append((question.definition, question.path))
    assert different == []


def test_the_lines_of_a_field_stand_out(browser: Browser, base_url: str) -> None:
    browser.screen(DESK)
    browser.open(f"{base_url}{DEPLOYMENT}#spec.template.spec.containers.livenessProbe")
    browser.wait("document.querySelector('#field-code mark')")
    first, *rest = (line.strip() for line in browser.run(LINES))
    assert first == "livenessProbe:"
    assert 0 < len(rest) < 5


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_field_without_an_example_says_why(
    browser: Browser, base_url: str, size: tuple[int, int]
) -> None:
    browser.screen(size)
    for field, words in {
        "metadata.uid": "No example: set by the server.",
        "spec.ephemeralContainers": "No example: only through the subresource",
        "status.phase": "Written through the subresource status, by a controller.",
        "spec.containers.resources.claims": None,
    }.items():
        browser.open(f"{base_url}{POD}#{field}")
        browser.wait("document.getElementById('field-code')")
        note = browser.run(NOTE)
        assert note == words or (words and note.startswith(words))
        has_yaml = browser.run(CODE, "yaml") is not None
        assert has_yaml == (words is None or "No example" not in words)
        assert "kubectl explain pods." in browser.run(CODE, "kubectl")


def test_a_field_behind_a_gate_names_it(browser: Browser, base_url: str) -> None:
    question = next(q for q in questions(load(RELEASE)) if q.gates)
    address = page_addresses(load(RELEASE))[question.definition]
    browser.open(f"{base_url}{RELEASE}/{address.path}/#{question.path}")
    browser.wait("document.getElementById('field-code')")
    assert f"feature gate {question.gates[0]}, which is off" in browser.run(NOTE)
