"""Fields that documents begin to list as required, which the API server required before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubestencil.schema.knowledge.values import server_facts
from tests.api_server import Client
from tests.conftest import EMBEDDED_PAIRS, load

# Definitions that only the server writes: of lists and of statuses.
_SERVER_WRITTEN = ("Condition", "HostIP", "List", "PodIP", "ServerStorageVersion")


@pytest.mark.parametrize(("before", "after"), EMBEDDED_PAIRS)
def test_fields_that_a_document_begins_to_list_were_required_before(
    before: str, after: str
) -> None:
    facts = server_facts(before)
    for definition, field in _newly_listed(before, after):
        is_known = facts.of(definition, field).required is True
        assert is_known or definition.endswith(_SERVER_WRITTEN), (definition, field)


def _newly_listed(before: str, after: str) -> Iterator[tuple[str, str]]:
    old = load(before).definitions
    for name, definition in load(after).definitions.items():
        if name in old:
            fields = {field.name: field.required for field in old[name].fields}
            for field in definition.fields:
                is_new = field.required and fields.get(field.name) is False
                if is_new and not name.endswith(_SERVER_WRITTEN):
                    yield name, field.name


def test_a_real_server_refuses_a_review_without_a_token(api_server: Client) -> None:
    """specs/corrections.tsv says so: the validator has no reviews."""
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {},
    }
    (reply,) = api_server.submit_all([review])
    assert reply.status == 400 and "token" in reply.message
