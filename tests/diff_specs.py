"""The releases that the tests of comparisons use, and made-up documents."""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from kubestencil.schema import Release, parse
from kubestencil.source import Source
from tests.conftest import FULL_RELEASES as RELEASES
from tests.conftest import full_specs, load
from tests.conftest import make_document as swagger

PAIRS = tuple(combinations(RELEASES, 2))
#: The same for tests of one pair: the widest in each run, others with ``-m ""``.
WIDEST = RELEASES[0], RELEASES[-1]
EACH_PAIR = [
    pair if pair == WIDEST else pytest.param(*pair, marks=pytest.mark.nightly)
    for pair in PAIRS
]

#: A release from the embedded documents.
embedded = load
#: A release from KUBESTENCIL_SPECS where that is set, else from the embedded documents.
release = partial(load, specs=full_specs())


def document(definitions: dict[str, Any]) -> Release:
    """A release with these definitions."""
    return parse(Source("made-up", "made-up.json", text(definitions).encode()))


def text(definitions: dict[str, Any]) -> str:
    """The text of a document with these definitions."""
    return json.dumps(swagger(definitions))


def pod(**fields: Any) -> dict[str, Any]:
    """Definitions of one kind, v1 Pod, with these fields."""
    return {
        "io.k8s.api.core.v1.Pod": {
            "type": "object",
            "properties": fields,
            "x-kubernetes-group-version-kind": [
                {"group": "", "version": "v1", "kind": "Pod"}
            ],
        }
    }
