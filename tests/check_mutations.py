"""Compares ``kubestencil check`` with a real API server on mutations of valid objects.

``python -m tests.check_mutations`` tries 20,000 and prints those on which the two
disagree; ``tests/test_check_mutations.py`` tries a part of them.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.checking import Finding, check_paths
from kubestencil.schema import Release
from tests.api_server import (
    CONNECTIONS,
    Client,
    Reply,
    api_server,
    missing,
)
from tests.cel import cel_rules, is_failure
from tests.cluster import installable_crds
from tests.conftest import load, load_with_crds
from tests.examples import examples
from tests.manifests import manifests
from tests.mutations import Mutant, is_marked, mutants

SEED = 13
COUNT = 20_000

#: Rules of what the server decodes: an object that breaks one is never validated.
DECODING = {
    "syntax", "duplicate-key", "unknown-field", "wrong-type", "invalid-quantity",
    "invalid-base64", "invalid-time", "out-of-range",
}  # fmt: skip
_INDEX = re.compile(r"\[\d+\]")
_OF_TEXT = {"syntax", "duplicate-key"}
#: What the server says of values that no schema describes.
_BEYOND_THE_SCHEMA = (
    # The syntax of names, labels and annotations, and the content of ownerReferences.
    "name or generateName is required",
    "a lowercase RFC 1123",
    "a valid label must",
    "name part must",
    "prefix part",
    "must be no more than",
    "must not contain dots",
    "must not be empty",
    "Only one reference can have Controller",
    "namespace of the provided object does not match",
    # The limits of the subresource scale.
    "should be less than or equal to 2147483647",
    "should be a non-negative integer",
    # A field that is null is dropped before fields are counted.
    "should have at least 1 properties",
    # No errors of their own.
    "some validation rules were not checked",
    "must validate at least one schema",
)
#: Why server and check disagree nevertheless, by what ``describe`` says.
EXPLAINED = (
    # The metadata of a custom resource is decoded from values, not from text, and
    # 1000.0 is a whole number there. In built-in kinds it is refused.
    r"wrong-type metadata\.\S+: must be an integer, not the number \d+\.0\n",
    # Lists pass where a custom resource has a string with a format (kube-openapi,
    # pkg/validation/validate/type.go); a controller cannot decode them.
    r"false error.*: wrong-type(.|\n)*must be a string, not a list",
    # Of two kinds or apiVersions the last one counts, for which there is no schema: in
    # JSON the server keeps the first one where the second one is null.
    r"missed strict error(.|\n)*check: duplicate-key (kind|apiVersion): ",
)
_NOT_SERVED = {"removed-kind", "future-kind", "unknown-kind", "missing-kind"}


class Case(NamedTuple):
    """A mutant, what the server says about it, and what the check finds."""

    mutant: Mutant
    reply: Reply
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.severity == "error")


def valid_objects(client: Client, release: Release) -> list[Any]:
    """Objects that a server accepts: those of tests/manifests, and of custom kinds the
    examples, in equal parts."""
    built_in = examples(load("1.35"), "required").keys()
    custom = [
        example
        for shape in ("required", "all_fields")
        for kind, example in examples(release, shape).items()
        if kind not in built_in
    ]
    replies = client.submit_all(custom)
    accepted = [
        example
        for example, reply in zip(custom, replies, strict=True)
        if reply.accepted
    ]
    return [*manifests() * max(1, len(accepted) // len(manifests())), *accepted]


def run_cases(
    client: Client, crds: Sequence[Mapping[str, Any]], count: int, folder: Path
) -> Iterator[Case]:
    """Submit and check ``count`` mutants, as files in ``folder``."""
    release = load_with_crds("1.35", crds) if crds else load("1.35")
    objects = valid_objects(client, release)
    cases = list(mutants(objects, SEED, count))
    names = []
    for index, mutant in enumerate(cases):
        names.append(f"{index:06}.{'yaml' if mutant.is_yaml else 'json'}")
        (folder / names[-1]).write_text(mutant.text)
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        replies = threads.map(lambda mutant: submit(client, mutant), cases)
        report = check_paths([str(folder)], release)
        findings: dict[str, list[Finding]] = {}
        for finding in report.findings:
            findings.setdefault(Path(finding.file).name, []).append(finding)
        for name, mutant, reply in zip(names, cases, replies, strict=True):
            yield Case(mutant, reply, tuple(findings.get(name, ())))


def submit(client: Client, mutant: Mutant) -> Reply:
    """Submit a mutant to the resource of its kind, or, where it has none, to that of
    the object it was made of."""
    value = mutant.value if has_type(mutant.value) else mutant.original
    path = client.create_path(value)
    if path is None:
        return Reply(0, {"message": "the kind is not served"})
    content_type = "application/yaml" if mutant.is_yaml else "application/json"
    return client.submit_text(path, mutant.text, content_type)


def has_type(value: Mapping[str, Any]) -> bool:
    """Whether an object says what it is, in scalars that all libraries read alike."""
    return all(
        isinstance(value.get(key), str) and not is_marked(value[key])
        for key in ("apiVersion", "kind")
    )


def disagreement(case: Case, rules: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """How the check disagrees with the server; empty where it does not.

    ``rules`` are the CEL rules of custom resources by group, which only the server
    evaluates.
    """
    status, errors = case.reply.status, case.errors
    if not has_type(case.mutant.value):
        # No object of Kubernetes: counted as such, but not reported.
        return ""
    rule_ids = {finding.rule_id for finding in errors}
    if status == 0:
        return "" if rule_ids & _NOT_SERVED or not rule_ids - _OF_TEXT else "not served"
    if status == 400:
        return _decoding_disagreement(case)
    if status == 201:
        false = rule_ids - _OF_TEXT
        return f"false error: {min(false)}" if false else ""
    group = str(case.mutant.original["apiVersion"]).rpartition("/")[0]
    if group in rules:
        return _custom_disagreement(case, rules[group])
    # A number can be out of the range of its type, or of what is valid.
    invalid = {field for field, _, _ in case.reply.causes}
    false = {
        finding.rule_id
        for finding in errors
        if finding.rule_id in DECODING
        and not (finding.rule_id == "out-of-range" and finding.field_path in invalid)
    }
    return f"false decoding error: {min(false)}" if false else ""


def _decoding_disagreement(case: Case) -> str:
    """Compare the errors of strict decoding, to the letter."""
    _, _, strict = case.reply.message.partition("strict decoding error: ")
    if not strict or strict.startswith("yaml: "):
        is_explained = any(text in case.reply.message for text in _BEYOND_THE_SCHEMA)
        return "" if case.errors or is_explained else "missed"
    expected = set(re.split(r", (?=unknown field |duplicate field )", strict))
    reported = {
        finding.message
        for finding in case.findings
        if finding.rule_id in ("unknown-field", "patch-directive", "duplicate-key")
    }
    # The server also looks into values of wrong types and the first of two fields of
    # one name, but not into unknown fields.
    covering = [f for f in case.errors if f.rule_id in ("wrong-type", "duplicate-key")]
    unknown = [f for f in case.errors if f.rule_id == "unknown-field"]
    missed = {text for text in expected - reported if not _is_inside(text, covering)}
    if missed:
        return f"missed strict error: {min(missed)}"
    false = {text for text in reported - expected if not _is_inside(text, unknown)}
    return f"false strict error: {min(false)}" if false else ""


def _is_inside(text: str, findings: Sequence[Finding]) -> bool:
    """Whether ``unknown field "spec.a.b"`` is about a value inside of those found."""
    path = text.partition('"')[2].removesuffix('"')
    return any(
        path.startswith((f"{f.field_path}.", f"{f.field_path}[")) for f in findings
    )


def _custom_disagreement(case: Case, rules: Sequence[Mapping[str, Any]]) -> str:
    # The server leaves out the indexes of ownerReferences.
    paths = {_INDEX.sub("", finding.field_path) for finding in case.findings}
    causes = [
        (_INDEX.sub("", field).removeprefix("."), message)
        for field, _, message in case.reply.causes
    ]
    for field, message in causes:
        is_found = any(field == path or field.startswith(f"{path}.") for path in paths)
        is_explained = any(text in message for text in _BEYOND_THE_SCHEMA) or any(
            is_failure(rule, message) for rule in rules
        )
        if not is_found and not is_explained:
            return f"missed: {field}"
    for finding in case.errors:
        path = _INDEX.sub("", finding.field_path)
        # The server names all labels where one is wrong.
        if not any(
            field.startswith(path) or path.startswith(f"{field}.")
            for field, _ in causes
        ):
            return f"false error in an invalid object: {path}"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try mutations with a server of its own; 1 if the two disagree on one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args(arguments)
    if reason := missing():
        parser.error(reason)
    crds = installable_crds() if "KUBESTENCIL_CLUSTER" in os.environ else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mutants").mkdir()
        with api_server(folder) as client:
            client.install(crds)
            cases = run_cases(client, crds, options.count, folder / "mutants")
            return report(cases, crds)


def report(cases: Iterator[Case], crds: Sequence[Mapping[str, Any]]) -> int:
    """Print the cases on which server and check disagree, and counts of all."""
    rules = rules_by_group(crds)
    statuses: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    for case in cases:
        statuses[case.reply.status] += 1
        how = disagreement(case, rules)
        if not how:
            continue
        text = describe(how, case)
        if any(re.search(pattern, text) for pattern in EXPLAINED):
            kinds["explained"] += 1
        else:
            kinds[how.partition(":")[0]] += 1
            print(text, end="\n\n")
    print(dict(statuses), dict(kinds), file=sys.stderr)
    return 1 if kinds.keys() - {"explained"} else 0


def rules_by_group(
    crds: Sequence[Mapping[str, Any]],
) -> dict[str, list[Mapping[str, Any]]]:
    """The CEL rules of custom resources by their group."""
    rules: dict[str, list[Mapping[str, Any]]] = {}
    for crd in crds:
        group = rules.setdefault(crd["spec"]["group"], [])
        group += cel_rules(crd["spec"]["versions"])
    return rules


def describe(how: str, case: Case) -> str:
    """A case on which server and check disagree, for people."""
    mutant, reply, findings = case
    kind = f"{mutant.original['apiVersion']} {mutant.original['kind']}"
    return "\n".join(
        [
            f"{how}: {kind}: {'; '.join(mutant.changes)}",
            f"  server: {reply.status} {reply.message}",
            *(
                f"  check: {finding.rule_id} {finding.field_path}: {finding.message}"
                for finding in findings
                if finding.severity != "note"
            ),
            f"  {'yaml' if mutant.is_yaml else 'json'}: {mutant.text}",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
