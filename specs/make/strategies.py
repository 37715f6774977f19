"""The table ``strategies``: the code of an API server that decides about a kind.

A strategy (``rest.RESTCreateStrategy`` and ``rest.RESTUpdateStrategy`` of
k8s.io/apiserver) prepares and validates the objects of a kind before they are stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.resources import resource_facts
from specs.make.checkouts import Checkout
from specs.make.go_types import group_of, imports

# Kinds that are answered and never stored: they have no strategy
# (pkg/registry/authentication and authorization of k8s.io/kubernetes).
_NEVER_STORED = (
    ("", "Binding"),
    ("", "ComponentStatus"),
    ("authentication.k8s.io", "SelfSubjectReview"),
    ("authentication.k8s.io", "TokenReview"),
    ("authorization.k8s.io", "LocalSubjectAccessReview"),
    ("authorization.k8s.io", "SelfSubjectAccessReview"),
    ("authorization.k8s.io", "SelfSubjectRulesReview"),
    ("authorization.k8s.io", "SubjectAccessReview"),
)
# An event is one kind in two groups (pkg/registry/events/rest of k8s.io/kubernetes).
_EVENTS = "events.k8s.io"

# Arguments of constructors by the ends of their types. Without an authorizer, nothing is
# refused for what a user may not do, which is the cluster's to say.
_ARGUMENTS = {
    "ObjectTyper": "scheme",
    "NamespaceInterface": "namespaces",
    "PassiveClock": "time",
    "Authorizer": "nil",
    "ResourceResolver": "resources",
    "PolicyGetter": "nil",
    # Of custom resources: selectable fields are for lists, and the second of two
    # validators is for the subresource status.
    "bool": "namespaced",
    "GroupVersionKind": "kind",
    "schemaValidator": "validator",
    "SchemaValidator": "nil",
    "]*structuralschema.Structural": "schemas",
    "*structuralschema.Structural": "schemas[kind.Version]",
    "SubresourceStatus": "status",
    "SubresourceScale": "scale",
    "SelectableField": "nil",
}

#: The group and kind of the row for all custom resources.
_CUSTOM = "*"
_CUSTOM_PACKAGE = "pkg/registry/customresource"

_VARIABLE = re.compile(r"^(?:var |\t)Strategy\s*=", re.M)
_CONSTRUCTOR = re.compile(r"^func NewStrategy\(([^)]*)\)", re.M)
_ASSERTION = re.compile(r"\.\(\*(\w+)\.(\w+)\)")


class Strategy(NamedTuple):
    """Where the strategy of a kind is, and the types of its group."""

    package: str
    expression: str
    types: str


class _Kind(NamedTuple):
    """A kind, and the Go package of its types."""

    group: str
    kind: str
    package: str


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release. Raises SourceError for a kind of it that has no
    strategy, and for a constructor that cannot be called."""
    for key, strategy in _strategies(checkout).items():
        yield *key, *strategy


def _strategies(checkout: Checkout) -> dict[tuple[str, str], Strategy]:
    found = dict(_all_strategies(checkout))
    served = {
        (row.kind.group, row.kind.kind)
        for row in resource_facts()
        if not row.subresource
        and row.releases.includes(checkout.release)
        and not {"create", "update"}.isdisjoint(row.verbs)
    }
    missing = served - found.keys() - set(_NEVER_STORED)
    if missing:
        raise SourceError(
            f"has no strategy of {', '.join(map('/'.join, sorted(missing)))}",
            where=f"k8s.io/kubernetes of {checkout.release}: pkg/registry",
            hint="add it to the table that specs/make/strategies.py makes",
        )
    kinds = {(_CUSTOM, _CUSTOM), *served}
    return {kind: found[kind] for kind in sorted(kinds & found.keys())}


def _all_strategies(checkout: Checkout) -> Iterator[tuple[tuple[str, str], Strategy]]:
    custom = (
        checkout.module("apiextensions-apiserver") / _CUSTOM_PACKAGE / "strategy.go"
    )
    expression = _expression(custom.read_text("utf-8"), custom)
    package = f"k8s.io/apiextensions-apiserver/{_CUSTOM_PACKAGE}"
    yield (_CUSTOM, _CUSTOM), Strategy(package, expression or "", "")
    for module, pattern in (
        ("kubernetes", "pkg/registry/*/*/strategy.go"),
        (
            "apiextensions-apiserver",
            "pkg/registry/customresourcedefinition/strategy.go",
        ),
        ("kube-aggregator", "pkg/registry/apiservice/strategy.go"),
    ):
        root = checkout.module(module)
        for path in sorted(root.glob(pattern)):
            source = path.read_text("utf-8")
            expression = _expression(source, path)
            kind = _kind(source, root)
            if expression is None or kind is None:
                continue
            package = f"k8s.io/{module}/{path.parent.relative_to(root).as_posix()}"
            strategy = Strategy(package, expression, f"{kind.package}/install")
            yield (kind.group, kind.kind), strategy
            if (kind.group, kind.kind) == ("", "Event"):
                types = kind.package.replace("/core", "/events")
                yield (_EVENTS, "Event"), strategy._replace(types=f"{types}/install")


def _expression(source: str, path: Path) -> str | None:
    """The Go expression of a package's strategy; None where it has none of its own.

    Where there is a constructor, a variable beside it lacks what the constructor sets.
    """
    constructor = _CONSTRUCTOR.search(source)
    if constructor is None:
        return "Strategy" if _VARIABLE.search(source) else None
    parameters = filter(None, map(str.strip, constructor[1].split(",")))
    arguments = [_argument(parameter.split()[-1], path) for parameter in parameters]
    return f"NewStrategy({', '.join(arguments)})"


def _argument(type_name: str, path: Path) -> str:
    for end, argument in _ARGUMENTS.items():
        if type_name.endswith(end):
            return argument
    raise SourceError(
        f"NewStrategy has a parameter of the unknown type {type_name}",
        where=str(path),
        hint="add an argument to specs/make/strategies.py, and to cluster.go of the target",
    )


def _kind(source: str, root: Path) -> _Kind | None:
    """The group and kind of the objects of a strategy: the first of the module's own
    types that the code casts an object to. None for a type of Kubernetes' own tests."""
    packages = imports(source)
    for alias, name in _ASSERTION.findall(source):
        package = packages.get(alias, "")
        _, own_types, folder = package.partition("/pkg/apis/")
        group = group_of(root / "pkg/apis" / folder) if own_types else None
        if group is not None:
            return _Kind(group, name, package)
    return None
