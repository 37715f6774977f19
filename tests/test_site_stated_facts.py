"""Facts that descriptions state: what the rules read, and above all what they leave."""

from __future__ import annotations

import pytest

from kubestencil.schema import Field
from kubestencil.schema.knowledge.descriptions import stated_default, stated_values
from kubestencil.schema.knowledge.fields import known_field
from kubestencil.schema.knowledge.words import deprecation_in_words, stated_in_words
from kubestencil.schema.types import schema_of
from kubestencil.source.releases import is_after
from tests.conftest import EMBEDDED, load


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
        ("The name. Defaults to 'default' (tcp).", "default"),
        ("Defaults to 1 hour and must be at least 10 minutes.", "1 hour"),
        # Conditions, sentences and other defaults.
        ("Defaults to 80 (if it is http).", ""),
        ("Defaults to Always if :latest is specified, or IfNotPresent otherwise.", ""),
        ("Defaults to 6, unless x is set. With x, it defaults to 9.", ""),
        ("Defaults to the value of a.", ""),
        ("Defaults to 1 for a Job.", ""),
        ("Defaults to 1. For a Job it defaults to 2.", ""),
    ],
)
def test_defaults(description: str, default: str) -> None:
    assert stated_default(description) == default


def stated(field: Field, siblings: list[str]) -> list[str]:
    known = known_field("1.35", "", field)
    phrases = (*stated_in_words(known), *deprecation_in_words(known, siblings))
    return [
        ": ".join(filter(None, (phrase.short, phrase.detail))) for phrase in phrases
    ]


def attributes(description: str, **schema: object) -> list[str]:
    field = Field("a", schema_of({"description": description, **schema}), False)
    return stated(field, ["a", "newOne"])


@pytest.mark.parametrize(
    ("description", "type_", "expected"),
    [
        ("Defaults to 0.", "string", []),
        ("Defaults to Capacity.", "object", []),
        ("Defaults to true.", "integer", []),
        ("Defaults to 10s.", "boolean", []),
        ("Defaults to 600s.", "integer", ["default 600"]),
        ("Defaults to 10 seconds.", "integer", ["default 10"]),
        ("Defaults to 10s.", "string", ["default 10s"]),
        ("Defaults to 0.", "integer", ["default 0"]),
        ("Defaults to true.", "boolean", ["default true"]),
        ("Deprecated: use newOne instead.", "string", ["deprecated: use newOne"]),
    ],
)
def test_a_default_has_the_type_of_its_field(
    description: str, type_: str, expected: list[str]
) -> None:
    assert attributes(description, type=type_) == expected


def test_the_schema_comes_first() -> None:
    assert not attributes(
        "One of A, B. Defaults to A.", type="string", enum=["A", "B"], default="A"
    )


#: The newest release of which somebody has read what is found.
REVIEWED = "1.37"


def test_reviewed_facts_of_all_releases() -> None:
    """Their number: whoever changes a rule reads what it finds, and what it lost."""
    found = {
        (f"{definition.kind}.{field.name}", text)
        for release in EMBEDDED
        if not is_after(release, REVIEWED)
        for definition in load(release).definitions.values()
        for field in definition.fields
        for text in stated(field, [item.name for item in definition.fields])
    }
    texts = [text for _, text in found]
    counts = [
        sum(text.startswith("default") for text in texts),
        sum(text.startswith("deprecated") for text in texts),
        sum(text == "no effect" for text in texts),
        len(texts),
    ]
    assert counts == [82, 53, 19, 225]
    assert ("Container.imagePullPolicy", "Always, Never or IfNotPresent") in found
