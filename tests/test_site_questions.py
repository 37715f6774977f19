"""The questions that people bring to the docs site's search."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from kubestencil import load
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.tables import read_cells
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.search_index import release_index
from tests.site_search import index_scripts, parse_index, search


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
    assert len(unanswered) <= 15, unanswered


def test_gates_values_and_removed_kinds_lead_to_what_they_are_about() -> None:
    scripts = index_scripts(load("1.35"))
    names = ["SidecarContainers", "OnFailure", "PodSecurityPolicy", "PetSet"]
    gate, value, policy, old = search(scripts, names)
    assert gate[0] == "core/v1/Container/#restartPolicy"
    assert "core/v1/PodSpec/#restartPolicy" in value[:3]
    assert "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy/" in policy[:3]
    assert old[0] == "apps/v1/StatefulSet/"
    _, texts = parse_index(scripts)
    notes = {words: note for _, _, words, note in texts["aliases"] if note}
    assert notes["SidecarContainers"] == "feature gate SidecarContainers, GA"
    assert notes["podsecuritypolicy"] == "PodSecurityPolicy was removed in 1.25"


def test_short_names_say_whose_fields_are_meant() -> None:
    queries = ["pdb minimum available", "hpa scale down slowly"]
    budget, scaler = search(index_scripts(load("1.35")), queries)
    assert budget[0] == "policy/v1/PodDisruptionBudgetSpec/#minAvailable"
    assert "autoscaling/v2/HorizontalPodAutoscaler/#spec.behavior" in scaler[:3]


def test_removed_api_versions_lead_to_what_replaces_them() -> None:
    scripts = index_scripts(load("1.35"))
    queries = ["extensions/v1beta1", "extensions/v1beta1 Ingress", "policy/v1beta1"]
    group, ingress, policy = search(scripts, queries)
    assert {"apps/v1/Deployment/", "networking.k8s.io/v1/Ingress/"} <= set(group)
    assert ingress[0] == "networking.k8s.io/v1/Ingress/"
    assert "policy/v1/PodDisruptionBudget/" in policy[:3]
    _, texts = parse_index(scripts)
    notes = {note for _, _, _, note in texts["aliases"]}
    assert "extensions/v1beta1 Ingress was removed in 1.22" in notes
    # It was removed later.
    assert not any("networking.k8s.io/v1beta1 IPAddress" in note for note in notes)


def test_results_have_defaults_values_and_the_release_that_added_a_field() -> None:
    release = load("1.35")
    kinds = kind_definitions(release)
    added = {("core/v1/PodSpec", "restartPolicy"): "1.34"}
    scripts = release_index(release, page_addresses(release), kinds, {}, added)
    _, texts = parse_index(scripts)
    values = ["Always", "Never", "OnFailure"]
    assert ['"Always"', values, "1.34"] in [answer[1:] for answer in texts["answers"]]


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
    assert "networking.k8s.io/v1/IPBlock/#cidr" in block[:3]
    assert any(path.endswith("JSONSchemaProps/#pattern") for path in pattern[:3])
