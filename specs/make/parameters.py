"""The table ``parameters``: the query parameters of operations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.schema.resources.paths import resource_path
from specs.make.checkouts import Checkout

_ACTION = "x-kubernetes-action"
#: Action and resource of an operation, and the name of a parameter.
Key = tuple[str, str, str]


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for key, parameter_type in _facts(checkout.document).items():
        yield *key, parameter_type


def _facts(document: Mapping[str, Any]) -> dict[Key, str]:
    """The type of each parameter of a document."""
    by_action: dict[str, Counter[frozenset[tuple[str, str]]]] = defaultdict(Counter)
    by_resource: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    for action, resource, parameters in _operations(document):
        by_action[action][parameters] += 1
        by_resource[action, resource] = parameters
    common = {action: sets.most_common(1)[0][0] for action, sets in by_action.items()}
    # Connections have nothing in common.
    common["connect"] = frozenset()
    facts = {
        (action, "", name): parameter_type
        for action, parameters in common.items()
        for name, parameter_type in parameters
    }
    for (action, resource), parameters in by_resource.items():
        for name, parameter_type in parameters - common[action]:
            facts[action, resource, name] = parameter_type
    return facts


def _operations(
    document: Mapping[str, Any],
) -> Iterator[tuple[str, str, frozenset[tuple[str, str]]]]:
    """The action, resource and query parameters of the operations of a document."""
    for path, methods in document["paths"].items():
        location = resource_path(path)
        for operation in methods.values():
            if location is None or _ACTION not in operation:
                continue
            raw = [*methods.get("parameters", ()), *operation.get("parameters", ())]
            yield (
                operation[_ACTION],
                f"{location.plural}/{location.subresource}",
                frozenset(_query_parameters(raw, document)),
            )


def _query_parameters(
    raw: Sequence[Mapping[str, Any]], document: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for parameter in raw:
        if "$ref" in parameter:
            parameter = document["parameters"][parameter["$ref"].rpartition("/")[2]]
        if parameter["in"] == "query":
            yield parameter["name"], parameter["type"]
