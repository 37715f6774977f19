"""Fields that cannot change (the table ``immutable-fields``), beside a real server."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import pytest

from kubestencil.schema.kinds import definitions_of_kinds, kind_definitions
from kubestencil.schema.knowledge.places import immutable_fields, immutable_rows
from kubestencil.schema.types import GroupVersionKind, Release, group_version_kind
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, seed_objects
from specs.make.values.immutable_fields import (
    Change,
    accepted_changes,
    outer_paths,
    outer_places,
    possible_changes,
    replies,
)
from tests.api_server import Client, Reply
from tests.conftest import load, rest_nightly
from tests.manifests import manifests
from tests.test_starters import values as starters
from tests.validators import PROVEN_RELEASES, built_validator

_SEED = 27
_UPDATES = 500

# They act on the requests of other tests, or on the server itself.
_LEFT_OUT = frozenset(
    {
        "APIService",
        "FlowSchema",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "Namespace",
        "PriorityLevelConfiguration",
        "ServiceCIDR",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)


def is_immutable(release: str, kind: GroupVersionKind, path: str) -> bool:
    """Whether a field, or one that it is inside of, cannot change."""
    known = immutable_fields(release).get(kind, frozenset())
    return not known.isdisjoint(outer_paths(path))


def _is_at(update: Update, kind: str, path: str) -> bool:
    return update.change.kind.kind == kind and update.change.path.startswith(path)


#: Why a server may refuse what the table does not name, and how that is recognized.
_REASONS: Mapping[str, Callable[[Update], bool]] = {
    "names and scope cannot change once a definition is established": lambda update: (
        _is_at(update, "CustomResourceDefinition", "spec.names")
        or _is_at(update, "CustomResourceDefinition", "spec.scope")
    ),
    "it changes with another field only": lambda update: (
        "can only be modified in tandem with" in update.reply.message
    ),
    "the object says that it cannot change": lambda update: (
        "is immutable when `immutable` is set" in update.reply.message
    ),
    "the new value is refused, not its change": lambda update: (
        "cannot set both port name" in update.reply.message
    ),
}


class Update(NamedTuple):
    """A change whose new object could be created, and the reply to the update."""

    release: str
    change: Change
    reply: Reply

    @property
    def is_immutable(self) -> bool:
        """What the table says."""
        return is_immutable(self.release, self.change.kind, self.change.path)


DEPLOYMENT = group_version_kind("apps/v1", "Deployment")


def test_what_is_inside_of_an_immutable_field_cannot_change() -> None:
    assert is_immutable("1.35", DEPLOYMENT, "spec.selector.matchLabels")
    assert not is_immutable("1.35", DEPLOYMENT, "spec.template")


def test_each_row_names_a_kind_that_documents_have() -> None:
    kinds = {
        release: set(kind_definitions(load(release)).values())
        for release in {row.releases.first for row in immutable_rows()}
    }
    for row in immutable_rows():
        kind = group_version_kind(row.api_version, row.kind)
        assert kind in kinds[row.releases.first], row


def _changes(release: Release) -> Iterator[Change]:
    names = definitions_of_kinds(release)
    for value in (*starters(release).values(), *manifests()):
        kind = group_version_kind(value["apiVersion"], value["kind"])
        has_name = "name" in value.get("metadata", {})
        if has_name and kind in names and kind.kind not in _LEFT_OUT:
            for change in possible_changes(release, names[kind], kind, [value]):
                # Of some fields that are absent, a server keeps the old value.
                if not change.is_removal:
                    yield change


class Objects:
    """Objects on a server, those of each kind in a namespace of its own."""

    def __init__(self, release: str, server: Client) -> None:
        self._release = release
        self._server = server
        self._paths: dict[tuple[GroupVersionKind, str], str | None] = {}

    def try_out(self, change: Change) -> Update | None:
        """An update that is a dry run; None where there is no such object, or where the
        new one could not be created."""
        # Of two with a name, only the first is created.
        key = change.kind, json.dumps(change.old, sort_keys=True)
        if key not in self._paths:
            self._paths[key] = self._create(change)
        path = self._paths[key]
        # Names of what has no namespace are taken, which is said of valid objects only.
        created = self._server.submit(self._in_namespace(change, change.new, "new-"))
        if path is None or created.status not in (201, 409):
            return None
        # The server itself changes some, such as CustomResourceDefinitions, meanwhile.
        stored = self._server.get(path)
        body = json.dumps(_applied(stored, change.old, change.new)).encode()
        dry_run = f"{path}?dryRun=All&fieldValidation=Strict"
        reply = self._server.request("PUT", dry_run, body)
        return Update(self._release, change, reply) if reply.status != 409 else None

    def delete(self) -> None:
        for path in filter(None, self._paths.values()):
            self._server.delete(path)

    def _create(self, change: Change) -> str | None:
        value = self._in_namespace(change, change.old, "old-")
        path = self._server.create_path(value)
        if path is None:
            return None
        reply = self._server.request("POST", path, json.dumps(value).encode())
        if reply.status != 201 or "uid" not in reply.body["metadata"]:
            return None
        return f"{path}/{value['metadata']['name']}"

    def _in_namespace(self, change: Change, value: Any, prefix: str) -> Any:
        kind = change.kind
        endpoint = self._server.endpoints(kind.api_version).get(kind.kind)
        if endpoint is None or not endpoint.namespaced:
            return value
        namespace = f"{prefix}{kind.version}-{kind.kind}".lower()
        return {**value, "metadata": {**value["metadata"], "namespace": namespace}}


def _applied(stored: Any, old: Any, new: Any) -> Any:
    """What is stored, with the difference between the manifests that were applied."""
    if old == new:
        return stored
    if all(isinstance(value, dict) for value in (stored, old, new)):
        kept = {
            name: value
            for name, value in stored.items()
            if name in new or name not in old
        }
        changed = {
            name: _applied(stored.get(name), old.get(name), value)
            for name, value in new.items()
        }
        return {**kept, **changed}
    lists = all(isinstance(value, list) for value in (stored, old, new))
    if lists and len(old) == len(new) <= len(stored):
        return [*map(_applied, stored, old, new), *stored[len(old) :]]
    return new


def _is_known(update: Update) -> bool:
    return update.reply.status == 422 and any(
        explains(update) for explains in _REASONS.values()
    )


@pytest.mark.server
@pytest.mark.parametrize(
    ("release", "server", "kinds"),
    rest_nightly([("1.35", "api_server", 50), ("1.29", "old_api_server", 40)]),
)
def test_a_server_refuses_the_updates_that_the_table_says(
    release: str, server: str, kinds: int, request: pytest.FixtureRequest
) -> None:
    changes = list(_changes(load(release)))
    random.Random(_SEED).shuffle(changes)
    objects = Objects(release, request.getfixturevalue(server))
    try:
        tried = filter(None, map(objects.try_out, changes))
        updates = list(islice(tried, _UPDATES))
    finally:
        objects.delete()
    assert len(updates) == _UPDATES
    assert {update.reply.status for update in updates} <= {200, 422}
    accepted = {
        (update.change.kind, update.change.path)
        for update in updates
        if update.reply.status == 200
    }
    wrong = [
        f"{kind.api_version} {kind.kind} {path}: {update.reply.message}"
        for update in updates
        for kind, path, *_ in [update.change]
        # A field that can change may still refuse some values.
        if ((kind, path) in accepted) is update.is_immutable and not _is_known(update)
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(update.is_immutable for update in updates) > _UPDATES / 5
    assert len({update.change.kind for update in updates}) > kinds


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("release", PROVEN_RELEASES)
def test_rows_are_proven_by_the_servers_code(release: str) -> None:
    """A new object is accepted that differs in a field of the row, its update is refused,
    and no update of the field is accepted."""
    rows = [row for row in immutable_rows() if row.releases.includes(release)]
    places = {
        (group_version_kind(row.api_version, row.kind), row.path): row.found
        for row in rows
    }
    parsed = load(release)
    with Validator(built_validator(release)) as validator:
        objects = accepted_objects(parsed, validator, seed_objects())
        given = [
            reply
            for kind in sorted({kind for kind, _ in places})
            for reply in replies(
                parsed,
                validator,
                accepted_changes(parsed, validator, kind, objects[kind]),
            )
        ]
    refused = outer_places(reply.place for reply in given if reply.refused)
    accepted = outer_places(reply.place for reply in given if not reply.refused)
    assert places.keys() & accepted == set()
    assert {place for place, found in places.items() if found == "asked"} <= refused
