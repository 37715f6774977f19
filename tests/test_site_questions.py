"""The questions that people bring to the docs site's search."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from kubestencil import load
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.tables import read_cells
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.search_index import release_index
from tests.site_search import index_scripts, parse_index, results, search


def questions() -> dict[str, list[str]]:
    lines = (Path(__file__).parent / "search_questions.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {question: answers.split() for question, answers in rows}


def test_most_questions_have_their_answer_among_the_first_three_results() -> None:
    table = questions()
    assert len(table) == 100
    found = search(index_scripts(load("1.35")), list(table))
    unanswered = [
        (question, paths[:3])
        for (question, answers), paths in zip(table.items(), found, strict=True)
        if not any(
            fnmatchcase(path, answer) for path in paths[:3] for answer in answers
        )
    ]
    assert len(unanswered) <= 5, unanswered


def test_results_answer_questions_that_nothing_was_tuned_for() -> None:
    """47 of 50 among the first three, and 40 in what the result says of itself."""
    lines = (Path(__file__).parent / "search_answers.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    found = results(index_scripts(load("1.35")), [row[1] for row in rows])
    for name in ("tuned", "untuned"):
        first, answered = [], []
        for (table, question, answers, text), results_of in zip(
            rows, found, strict=True
        ):
            matches = [
                result
                for result in results_of[:3]
                if any(fnmatchcase(result.path, answer) for answer in answers.split())
            ]
            if table == name and matches:
                first.append(question)
                said = "." if text == "-" else text
                answered += [
                    question for match in matches if re.search(said, match.text)
                ][:1]
        assert len(first) >= 47, first
        assert len(answered) >= 40, answered


def test_questions_about_facts_and_removed_versions_are_answered() -> None:
    queries = ["cronjob required fields", "v2beta2 hpa", "FlowSchema v1beta3"]
    queries += ["loadBalancerIP deprecated", "job restart policy", "list pods"]
    job, scaler, schema, address, policy, pods = (
        found[0] for found in results(index_scripts(load("1.35")), queries)
    )
    assert job.path == "batch/v1/CronJob/"
    assert job.text.startswith("required: spec.schedule, spec.jobTemplate")
    assert "HorizontalPodAutoscaler was removed in 1.26, use autoscaling/v2" in (
        scaler.text
    )
    assert "FlowSchema was removed in 1.32, use" in schema.text
    assert address.path == "core/v1/Service/#spec.loadBalancerIP"
    assert address.text.startswith("deprecated")
    # What holds in the kind that is asked about.
    assert policy.path == "batch/v1/Job/#spec.template.spec.restartPolicy"
    assert policy.text.startswith("required | Never or OnFailure |")
    assert pods.path == "core/v1/Pod/#operations"


def test_results_have_defaults_values_and_the_release_that_added_a_field() -> None:
    release = load("1.35")
    kinds = kind_definitions(release)
    added = {("core/v1/PodSpec", "restartPolicy"): "1.34"}
    scripts = release_index(release, page_addresses(release), kinds, {}, added)
    (found,) = results(scripts, ["pod restartPolicy"])
    assert "Always, Never or OnFailure | default Always | since 1.34" in found[0].text


def test_synonyms_are_of_what_a_release_has() -> None:
    rows = list(read_cells("synonyms"))
    assert len({tuple(row[:3]) for row in rows}) == len(rows)
    words = {words for *_, words in rows}

    def synonyms(release: str) -> set[str]:
        _, texts = parse_index(index_scripts(load(release)))
        return {words for _, _, words, note in texts["aliases"] if not note}

    assert synonyms("1.35") == words
    resize = {words for _, _, path, words in rows if path.endswith("resizePolicy")}
    assert resize <= words - synonyms("1.25")


def test_words_of_questions_are_found_in_any_form() -> None:
    queries = ["add NET_ADMIN capability", "network policy cidr", "crd pattern regex"]
    capability, block, pattern = search(index_scripts(load("1.35")), queries)
    assert "core/v1/Pod/#spec.containers.securityContext.capabilities" in capability
    assert block[0].endswith("ipBlock.cidr")
    assert any(path.endswith(".openAPIV3Schema.pattern") for path in pattern)


def test_a_removed_kind_is_found_by_its_initials() -> None:
    ((first, *_),) = results(index_scripts(load("1.35")), ["psp removed"])
    assert "PodSecurityPolicy was removed in 1.25" in first.text
