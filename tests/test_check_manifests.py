"""Public manifests, checked and compared with what real API servers say about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking import Finding, check_paths
from kubestencil.checking.files.find import ManifestFile, find_files
from kubestencil.checking.files.kustomize import (
    is_named_patch,
    read_kustomizations,
)
from kubestencil.checking.rules import RuleId
from tests.conftest import load, rest_nightly
from tests.public_manifests import FOLDER, Key, extract, verdicts

RELEASES = ("1.29", "1.35")

pytestmark = pytest.mark.skipif(FOLDER is None, reason="no KUBESTENCIL_MANIFESTS")

#: Rules about the text of a file rather than its objects: a server sees an object after
#: a client has read the text.
OF_TEXT: frozenset[RuleId] = frozenset({"syntax", "duplicate-key"})

# What a server refuses for reasons that no document states, by what it says about the
# field. Everything else that it refuses must be found.
BEYOND_THE_DOCUMENT = (
    # Two values contradict each other, or one depends on another.
    r"`selector` does not match template `labels`",
    r"must be spec\.names\.plural",
    r"may not be used when `type` is",
    r"must not be specified when serviceAccountName is not set",
    r"Not found: ",
    r"^subjects\[\d+\]\.namespace: Required value",
    r"restartPolicy: Required value: valid values",
    # The syntax of a name, a label or an address.
    r"a lowercase RFC 1123 (subdomain|label) must consist of",
    r"a DNS-1035 label must consist of",
    r"a valid label must be an empty string or consist of",
    r"failed to allocate IP",
    # A value that the document does not require, since controllers fill it in, or
    # that is there and empty.
    r"name or generateName is required",
    r"containers\[\d+\]\.image: Required value",
    r"clientConfig\.service\.name: Required value",
    # Values that only the documents of clusters list (enum).
    r"pathType: Unsupported value",
    # Rules of structural schemas, for the schema inside of an object.
    r"mutual exclusive",
    r"must not be used at the root",
    r"uniqueItems cannot be set to true",
    r"must have exactly one version marked as storage version",
    r"must have at least one stored version",
    r"cannot set to true, set x-kubernetes-preserve-unknown-fields",
    r"openAPIV3Schema: Required value",
    r"^spec\.names\.(singular|listKind): Required value",
    # CEL that an older server cannot compile.
    r"x-kubernetes-validations\[\d+\]\.rule: ",
    # Labels and selectors that the server itself sets.
    r"batch\.kubernetes\.io/controller-uid",
    r"^spec\.clusterIPs",
)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract(tmp_path_factory.mktemp("manifests"))


@pytest.fixture(scope="module")
def findings(manifests: Path) -> Mapping[str, Mapping[Key, list[Finding]]]:
    """The findings about objects by release, then by object."""
    report = check_paths([str(manifests)], load("1.35"), load("1.29"))
    by_release: dict[str, dict[Key, list[Finding]]] = {name: {} for name in RELEASES}
    for finding in report.findings:
        if finding.rule_id not in OF_TEXT:
            file = str(Path(finding.file).relative_to(manifests))
            key = (file, finding.subject.document, finding.subject.item)
            for release in finding.releases:
                by_release[release].setdefault(key, []).append(finding)
    return by_release


@pytest.mark.parametrize("release", rest_nightly(reversed(RELEASES)))
def test_no_object_that_the_server_decodes_is_an_error(
    findings: Mapping[str, Mapping[Key, list[Finding]]], release: str
) -> None:
    accepted = verdicts(release, 201, 500)
    assert len(accepted) > 2500
    errors = {
        key: [finding.message for finding in findings[release].get(key, ())]
        for key in accepted
        if any(
            finding.severity == "error" for finding in findings[release].get(key, ())
        )
    }
    assert not errors


@pytest.mark.parametrize("release", rest_nightly(reversed(RELEASES)))
def test_every_object_that_the_server_cannot_decode_is_found(
    findings: Mapping[str, Mapping[Key, list[Finding]]], manifests: Path, release: str
) -> None:
    refused = verdicts(release, 400)
    patches = read_kustomizations(list(find_files([str(manifests)]))).patches
    assert len(refused) > 40
    for key, row in refused.items():
        key_findings = findings[release].get(key, ())
        strict = row["message"].partition("strict decoding error: ")[2]
        if strict:
            # The paths are those of the server, to the letter. A directive in a patch
            # that a kustomization lists is what it should be.
            is_patch = str(manifests / key[0]) in patches
            fields = {
                field
                for field in strict.split(", ")
                if not (is_patch and '$patch"' in field)
            }
            assert fields == {
                finding.message
                for finding in key_findings
                if finding.rule_id in ("unknown-field", "patch-directive")
            }, key
        else:
            assert any(finding.severity == "error" for finding in key_findings), row


def _refused(folder: Path, release: str) -> Mapping[Key, dict[str, Any]]:
    """What validation refuses of whole objects: a patch leaves out what it does not
    change, and a base what its kustomization sets."""
    known = read_kustomizations(list(find_files([str(folder)])))
    changed = {
        str(Path(path).relative_to(folder))
        for path in (*known.patches, *known.set)
        if Path(path).is_relative_to(folder)
    }
    refused = {
        key: row
        for key, row in verdicts(release, 422).items()
        if key[0] not in changed and not _is_part(key, row)
    }
    assert len(refused) > 125
    return refused


def _is_part(key: Key, row: Mapping[str, Any]) -> bool:
    """Whether an object lacks something in a file that is called a patch."""
    return is_named_patch(ManifestFile(key[0])) and any(
        message.startswith("Required value") for _, _, message in row["causes"]
    )


@pytest.mark.parametrize("release", rest_nightly(reversed(RELEASES)))
def test_what_validation_refuses_is_found_or_beyond_the_document(
    findings: Mapping[str, Mapping[Key, list[Finding]]], manifests: Path, release: str
) -> None:
    missed: list[tuple[Key, str]] = []
    for key, row in _refused(manifests, release).items():
        key_findings = findings[release].get(key, ())
        paths = {finding.field_path for finding in key_findings}
        for field, _, message in row["causes"]:
            cause = f"{field}: {message}"
            is_found = any(
                field == path or field.startswith((f"{path}.", f"{path}["))
                for path in paths
            )
            if not is_found and not any(
                re.search(pattern, cause) for pattern in BEYOND_THE_DOCUMENT
            ):
                missed.append((key, cause))
    assert not missed


@pytest.mark.parametrize("release", rest_nightly(reversed(RELEASES)))
def test_refusals_that_depend_on_the_object_alone_are_errors(
    findings: Mapping[str, Mapping[Key, list[Finding]]], manifests: Path, release: str
) -> None:
    of_cluster = ("failed to allocate IP", "controller-uid")
    refused = [
        key
        for key, row in _refused(manifests, release).items()
        if not any(text in row["message"] for text in of_cluster)
    ]
    found = [
        key
        for key in refused
        if any(f.severity == "error" for f in findings[release].get(key, ()))
    ]
    assert len(found) > 0.85 * len(refused)


@pytest.mark.parametrize("release", rest_nightly(reversed(RELEASES)))
def test_kinds_that_the_server_does_not_serve_are_found_or_counted(
    findings: Mapping[str, Mapping[Key, list[Finding]]], release: str
) -> None:
    """A kind of Kubernetes' own groups is never taken for a custom resource."""
    absent = verdicts(release, 0)
    own_groups = {"", "apps", "extensions", "batch", "policy", "autoscaling"}
    for key, row in absent.items():
        group = row["apiVersion"].rpartition("/")[0]
        # Without a group, kustomize's plugins and other programs have versions.
        is_of_program = not group and row["apiVersion"] != "v1"
        is_other = row["kind"].endswith("List") or is_of_program
        if (group in own_groups or group == "apiextensions.k8s.io") and not is_other:
            rules = {finding.rule_id for finding in findings[release].get(key, ())}
            assert rules & {"removed-kind", "unknown-kind", "future-kind"}, row
