"""The table ``required-fields.tsv``: fields that the API server always required, though
documents list them as required only from a later release on.

The fields that a document begins to list are computed. Whether the server required them
before is in its validation, which is named for each, and looked up in the sources of the
release before. Fields that only the server writes, in a status or a list, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.fields import required_field_rows
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import previous_minor_version
from specs.make.checkouts import Checkout
from specs.make.documents import operated_kinds

HEADER = """
Fields that the API server always required, though documents list them as required only
from a later release on, tab-separated:

  listed      the first release whose document lists the field as required
  definition  its full name in the OpenAPI document
  field       its JSON name
  validation  the file of k8s.io/kubernetes, and the function in it, that refuses an
              object without the field in the release before

Made by `python -m specs.make required-fields` (specs/README.md) from the documents and
sources of k8s.io/kubernetes.
"""


class _Validation(NamedTuple):
    """A function that refuses objects without a field; ``text`` is in its body."""

    file: str
    function: str
    text: str


def _validation(group: str, function: str, text: str) -> _Validation:
    return _Validation(f"pkg/apis/{group}/validation/validation.go", function, text)


_PARENT_REFERENCE = _validation(
    "networking", "validateIPAddressParentReference", 'Child("parentRef")'
)
_AUTOSCALER = _validation(
    "autoscaling", "validateHorizontalPodAutoscalerSpec", 'Child("scaleTargetRef")'
)
_BINDING = "validateValidatingAdmissionPolicyBindingSpec"
_LEASE_CANDIDATE = _validation(
    "coordination", "ValidateLeaseCandidateSpec", 'Required(fldPath.Child("leaseName")'
)
# Where a spec is required, a field in it is that has no default. The names of
# definitions are without a prefix and the version.
_VALIDATIONS = {
    ("admissionregistration.ValidatingAdmissionPolicyBinding", "spec"): _validation(
        "admissionregistration", _BINDING, 'Required(fldPath.Child("policyName")'
    ),
    ("admissionregistration.ValidatingAdmissionPolicyBindingSpec", "policyName"): (
        _validation(
            "admissionregistration", _BINDING, 'Required(fldPath.Child("policyName")'
        )
    ),
    (
        "admissionregistration.ValidatingAdmissionPolicyBindingSpec",
        "validationActions",
    ): (_validation("admissionregistration", "validateValidationActions", "Required(")),
    ("apps.ControllerRevision", "data"): _validation(
        "apps", "ValidateControllerRevisionCreate", 'Required(field.NewPath("data")'
    ),
    ("apps.DaemonSet", "spec"): _validation(
        "apps", "ValidateDaemonSetSpec", "ValidatePodTemplateSpec(&spec.Template"
    ),
    ("apps.Deployment", "spec"): _validation(
        "apps", "ValidateDeploymentSpec", 'Required(fldPath.Child("selector")'
    ),
    ("apps.ReplicaSet", "spec"): _validation(
        "apps", "ValidateReplicaSetSpec", 'Required(fldPath.Child("selector")'
    ),
    ("apps.StatefulSet", "spec"): _validation(
        "apps", "ValidateStatefulSetSpec", 'Required(fldPath.Child("selector")'
    ),
    ("apiserverinternal.StorageVersion", "metadata"): _validation(
        "apiserverinternal", "ValidateStorageVersion", "ValidateObjectMeta("
    ),
    ("authentication.TokenReviewSpec", "token"): _Validation(
        "pkg/registry/authentication/tokenreview/storage.go",
        "Create",
        "len(tokenReview.Spec.Token) == 0",
    ),
    ("autoscaling.HorizontalPodAutoscaler", "spec"): _AUTOSCALER,
    ("batch.CronJob", "spec"): _validation(
        "batch", "validateCronJobSpec", 'Required(fldPath.Child("schedule")'
    ),
    ("coordination.LeaseCandidate", "spec"): _LEASE_CANDIDATE,
    ("core.HostAlias", "ip"): _validation(
        "core", "ValidateHostAliases", 'Child("ip"), hostAlias.IP)'
    ),
    ("flowcontrol.FlowSchema", "spec"): _validation(
        "flowcontrol",
        "ValidateFlowSchemaSpec",
        'Required(fldPath.Child("priorityLevelConfiguration")',
    ),
    ("flowcontrol.LimitedPriorityLevelConfiguration", "limitResponse"): _validation(
        "flowcontrol",
        "ValidateLimitedPriorityLevelConfiguration",
        "ValidateLimitResponse(lplc.LimitResponse",
    ),
    ("flowcontrol.PriorityLevelConfiguration", "spec"): _validation(
        "flowcontrol",
        "ValidatePriorityLevelConfigurationSpec",
        'NotSupported(fldPath.Child("type")',
    ),
    ("networking.IPAddress", "spec"): _PARENT_REFERENCE,
    ("networking.IPAddressSpec", "parentRef"): _PARENT_REFERENCE,
    ("networking.ParentReference", "name"): _validation(
        "networking", "validateIPAddressParentReference", 'Child("name")'
    ),
    ("networking.ParentReference", "resource"): _validation(
        "networking", "validateIPAddressParentReference", 'Child("resource")'
    ),
}


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first; each is compared with the
    one before it.

    With ``append`` they are added to the table that there is.
    """
    rows = [tuple(row) for row in required_field_rows()] if append else []
    for checkout in checkouts:
        rows.extend(_new_rows(checkout))
    return sorted(rows, key=lambda row: row[1:])


def _new_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of what the document of a release lists, and the one before does not.

    Raises SourceError for a field whose validation is not named, or not there.
    """
    before = Checkout(checkout.folder, previous_minor_version(checkout.release))
    written = _written_by_clients(checkout.document)
    for definition, field in _newly_listed(before.document, checkout.document):
        if definition not in written:
            continue
        *_, package, _, kind = definition.split(".")
        validation = _VALIDATIONS.get((f"{package}.{kind}", field))
        where = f"{definition}.{field}"
        if validation is None:
            raise SourceError(
                f"is required in {checkout.release}, and was not before",
                where=where,
                hint="name its validation in specs/make/required_fields.py",
            )
        _verify(before, validation, where)
        place = f"{validation.file} {validation.function}"
        yield checkout.release, definition, field, place


def _newly_listed(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The fields of both documents that only the second lists as required."""
    for name, schema in after["definitions"].items():
        old = before["definitions"].get(name, {})
        added = set(schema.get("required", ())) - set(old.get("required", ()))
        for field in sorted(added & old.get("properties", {}).keys()):
            yield name, field


def _written_by_clients(document: Mapping[str, Any]) -> set[str]:
    """The definitions of kinds, and what they refer to but for their status."""
    definitions = document["definitions"]
    kinds = operated_kinds(document).keys()
    pending = [
        name
        for name, schema in definitions.items()
        for kind in schema.get("x-kubernetes-group-version-kind", ())
        if GroupVersionKind(**kind) in kinds
    ]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            for field, schema in definitions[name].get("properties", {}).items():
                if field != "status":
                    pending.extend(_references(schema))
    return reached


def _references(schema: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _references(schema[key])


def _verify(checkout: Checkout, validation: _Validation, where: str) -> None:
    source = (checkout.module("kubernetes") / validation.file).read_text("utf-8")
    function = re.search(
        rf"^func (?:\([^)]*\) )?{validation.function}\(.*?^\}}", source, re.M | re.S
    )
    if function is None or validation.text not in function[0]:
        raise SourceError(
            f"is not validated by {validation.function} of {validation.file} in "
            f"{checkout.release}",
            where=where,
        )
