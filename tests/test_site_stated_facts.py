"""Facts that descriptions state: what the rules read, and above all what they leave."""

from __future__ import annotations

import pytest

from kubestencil.schema import Field
from kubestencil.schema.documents.openapi2 import parse_schema
from kubestencil.schema.facts.descriptions import stated_default, stated_values
from kubestencil.source import embedded
from kubestencil.targets.site.fields.stated_facts import stated_attributes
from tests.conftest import load


@pytest.mark.parametrize(
    ("description", "values"),
    [
        (
            "Pull policy. One of Always, Never, IfNotPresent. Defaults.",
            "Always Never IfNotPresent",
        ),
        ('Valid values are "A" and "B".', "A B"),
        ("The status, one of True, False, Unknown.", "True False Unknown"),
        ("Allowed values are `Cluster` and `Namespaced`.", "Cluster Namespaced"),
        ("Supported values: cpu, memory.", "cpu memory"),
        ('Possible enum values:\n - `"A"` means a\n - `"B"` means b', "A B"),
        ('Valid values are:\n\n- "A" (default): one; - "B": two', "A B"),
        # Not of this field, or not all of them.
        ("Exactly one of Basic or Gang must be set.", ""),
        ("At least one of `a` and `b` has to be set.", ""),
        ('Valid values are "None", empty string (""), or an address.', ""),
        ("Possible values are: - In: a - *: all", ""),
        ("Valid values are integers greater than 0.", ""),
        ("Match one of the resources from the pod spec.", ""),
        ("One of A, B. Later, one of A, C.", ""),
        ("Node address type, one of Hostname, ExternalIP or InternalIP.", ""),
    ],
)
def test_values(description: str, values: str) -> None:
    assert " ".join(stated_values(description)) == values


@pytest.mark.parametrize(
    ("description", "default"),
    [
        ("Retries. Defaults to 6", "6"),
        ('Set it. Defaults to "ClusterFirst".', "ClusterFirst"),
        ("Default is false.", "false"),
        ("The default value is 10.", "10"),
        ("If unset, it defaults to File.", "File"),
        ("Defaults to Equal if unset. More.", "Equal"),
        ("Defaults to 25%. Example: 30%.", "25%"),
        ("Defaults to 10 seconds. Minimum is 1.", "10 seconds"),
        ("The deadline. Defaults to 600s.", "600s"),
        ("The keyring, default is /etc/ceph/keyring. More.", ""),
        ("The keyring. Default is /etc/ceph/keyring. More.", "/etc/ceph/keyring"),
        # Conditions, sentences and other defaults.
        ("Defaults to Always if :latest is specified, or IfNotPresent otherwise.", ""),
        ("Defaults to 6, unless x is set. With x, it defaults to 9.", ""),
        ("Defaults to the value of a.", ""),
        ("Defaults to 1 for a Job.", ""),
        ("Defaults to 1. For a Job it defaults to 2.", ""),
    ],
)
def test_defaults(description: str, default: str) -> None:
    assert stated_default(description) == default


def attributes(description: str, **schema: object) -> dict[str, tuple[str, ...]]:
    field = Field("a", parse_schema({"description": description, **schema}), False)
    return {
        item.name: item.values for item in stated_attributes(field, ["a", "newOne"])
    }


def test_a_default_has_the_type_of_its_field() -> None:
    name = "stated default"
    assert name not in attributes("Defaults to 0.", type="string")
    assert name not in attributes("Defaults to Capacity.", type="object")
    assert name not in attributes("Defaults to true.", type="integer")
    assert name not in attributes("Defaults to 10s.", type="boolean")
    assert attributes("Defaults to 600s.", type="integer") == {name: ("600",)}
    assert attributes("Defaults to 10 seconds.", type="integer") == {name: ("10",)}
    assert attributes("Defaults to 10s.", type="string") == {name: ("10s",)}
    assert attributes("Defaults to 0.", type="integer") == {name: ("0",)}
    assert attributes("Defaults to true.", type="boolean") == {name: ("true",)}


def test_the_schema_comes_first() -> None:
    assert not attributes(
        "One of A, B. Defaults to A.", type="string", enum=["A", "B"], default="A"
    )


def test_deprecated_fields_name_their_replacement() -> None:
    text = "Deprecated: use newOne instead."
    assert attributes(text, type="string") == {"deprecated": ("use newOne",)}


def test_reviewed_facts_of_all_releases() -> None:
    """Their number: whoever changes a rule reads what it finds, and what it lost."""
    found = {
        (attribute.name, f"{definition.kind}.{field.name}", attribute.values)
        for release in embedded.releases()
        for definition in load(release).definitions.values()
        for field in definition.fields
        for attribute in stated_attributes(
            field, [item.name for item in definition.fields]
        )
    }
    counts = {
        name: sum(fact[0] == name for fact in found)
        for name in {fact[0] for fact in found}
    }
    assert counts == {
        "stated default": 74,
        "deprecated": 53,
        "stated values": 71,
    }
    image = (
        "stated values",
        "Container.imagePullPolicy",
        ("Always", "Never", "IfNotPresent"),
    )
    assert image in found
