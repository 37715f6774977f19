"""The table ``parameters.tsv``: the query parameters of operations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.schema.knowledge.resources import parameter_rows
from kubestencil.schema.resources.paths import resource_path
from specs.make.checkouts import Checkout
from specs.make.ranges import Ranges

HEADER = """
The query parameters of operations by release, tab-separated:

  releases   FIRST..LAST, or FIRST.. until the newest release of the table
  action     x-kubernetes-action of the operation
  resource   PLURAL/SUBRESOURCE of an operation with parameters of its own, beside those
             of its action
  parameter
  type       string, integer or boolean

None of them is required.

Made by `python -m specs.make parameters` (specs/README.md) from the paths of
api/openapi-spec/swagger.json in k8s.io/kubernetes.
"""

_ACTION = "x-kubernetes-action"
#: Action and resource of an operation, and the name of a parameter.
Key = tuple[str, str, str]


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    ranges: Ranges[Key, str] = Ranges()
    if append:
        for row in parameter_rows():
            key = row.action, row.resource, row.name
            ranges.add(row.releases, key, row.type)
    for checkout in checkouts:
        ranges.advance(checkout.release, _facts(checkout.document))
    return [
        (str(releases), *key, parameter_type)
        for key, releases, parameter_type in ranges.rows(lambda key: key)
    ]


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
