"""The table ``strategies``: the code of an API server that decides about a kind.

A strategy (``rest.RESTCreateStrategy`` and ``rest.RESTUpdateStrategy`` of
k8s.io/apiserver) prepares and validates the objects of a kind before they are stored, and
another one what is written through the subresource ``status``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.resources import resource_facts
from specs.make.checkouts import Checkout, imports
from specs.make.go_types import group_of

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

# Arguments of constructors by the ends of their types: variables of the validator's code.
# Without an authorizer, nothing is refused for what a user may not do, which is the
# cluster's to say.
_ARGUMENTS = {
    "ObjectTyper": "scheme",
    "NamespaceInterface": "namespaces",
    "PassiveClock": "time",
    "Authorizer": "nil",
    "ResourceResolver": "resources",
    "PolicyGetter": "nil",
    # Of custom resources: selectable fields are for lists.
    "bool": "namespaced",
    "GroupVersionKind": "kind",
    "schemaValidator": "validator",
    "SchemaValidator": "statusValidator",
    "]*structuralschema.Structural": "schemas",
    "*structuralschema.Structural": "schemas[kind.Version]",
    "SubresourceStatus": "status",
    "SubresourceScale": "scale",
    "SelectableField": "nil",
}
# Constructors of what decides about the status take the strategy of the kind, and cannot
# do without an authorizer: one that allows all.
_STATUS_ARGUMENTS = {**_ARGUMENTS, "Authorizer": "authorizer", "trategy": "rules"}

#: The group and kind of the row for all custom resources.
_CUSTOM = "*"
_CUSTOM_PACKAGE = "pkg/registry/customresource"

_VARIABLE = r"^(?:var |\t){}\s*="
_CONSTRUCTOR = r"^func New{}\(([^)]*)\)"
_ASSERTION = re.compile(r"\.\(\*(\w+)\.(\w+)\)")


class Strategy(NamedTuple):
    """Where the strategies of a kind are, and the types of its group."""

    package: str
    expression: str
    status: str
    types: str


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
    custom = checkout.module("apiextensions-apiserver") / _CUSTOM_PACKAGE
    package = f"k8s.io/apiextensions-apiserver/{_CUSTOM_PACKAGE}"
    expression, status = (
        _expression(name, (custom / file).read_text("utf-8"), custom / file)
        for name, file in (
            ("Strategy", "strategy.go"),
            ("StatusStrategy", "status_strategy.go"),
        )
    )
    yield (_CUSTOM, _CUSTOM), Strategy(package, expression, status, "")
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
            expression = _expression("Strategy", source, path)
            status = _expression("StatusStrategy", source, path)
            kind, types = _kind(source, root)
            if not expression or kind is None:
                continue
            package = f"k8s.io/{module}/{path.parent.relative_to(root).as_posix()}"
            strategy = Strategy(package, expression, status, f"{types}/install")
            yield kind, strategy
            if kind == ("", "Event"):
                types = types.replace("/core", "/events")
                yield (_EVENTS, "Event"), strategy._replace(types=f"{types}/install")


def _expression(name: str, source: str, path: Path) -> str:
    """The Go expression of a package's strategy; empty where it has none of that name.

    Where there is a constructor, a variable beside it lacks what the constructor sets.
    """
    constructor = re.search(_CONSTRUCTOR.format(name), source, re.M)
    if constructor is None:
        return name if re.search(_VARIABLE.format(name), source, re.M) else ""
    parameters = filter(None, map(str.strip, constructor[1].split(",")))
    known = _STATUS_ARGUMENTS if name == "StatusStrategy" else _ARGUMENTS
    arguments = [
        _argument(known, parameter.split()[-1], path) for parameter in parameters
    ]
    return f"New{name}({', '.join(arguments)})"


def _argument(known: Mapping[str, str], type_name: str, path: Path) -> str:
    for end, argument in known.items():
        if type_name.endswith(end):
            return argument
    raise SourceError(
        f"a constructor has a parameter of the unknown type {type_name}",
        where=str(path),
        hint="add an argument to specs/make/strategies.py, and to cluster.go of the target",
    )


def _kind(source: str, root: Path) -> tuple[tuple[str, str] | None, str]:
    """The group and kind of the objects of a strategy, and the Go package of its types:
    the first of the module's own types that the code casts an object to. None for a type
    of Kubernetes' own tests."""
    packages = imports(source)
    for alias, name in _ASSERTION.findall(source):
        package = packages.get(alias, "")
        _, own_types, folder = package.partition("/pkg/apis/")
        group = group_of(root / "pkg/apis" / folder) if own_types else None
        if group is not None:
            return (group, name), package
    return None, ""
