"""The admission policies of ``--policies``, and whether anything would evaluate them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.checking.paths import items_at, object_at, text_at, texts_at
from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.kinds import built_in_groups, plural_of
from kubestencil.schema.types import GroupVersionKind

_Object = Mapping[str, Any]
_POLICY = "AdmissionPolicy"
_BINDING = f"{_POLICY}Binding"


def policy_objects(paths: Sequence[str]) -> tuple[Sequence[_Object], Sequence[str]]:
    """The objects in files, CustomResourceDefinitions first, and the policies among them
    that have no binding, so that a server evaluates them for no object.

    Raises UsageError where no policy is evaluated, for a binding whose policy is not
    there, and for one that does nothing since its parameters are not there.
    """
    objects = [
        item.value
        for file in find_files(paths)
        if not file.reason_to_skip
        for item in read_manifests(file.read(), file.name)
        if isinstance(item, Manifest)
    ]
    where = f"--policies {', '.join(paths)}"
    policies = {
        _key(value): value for value in objects if value["kind"].endswith(_POLICY)
    }
    if not policies:
        raise UsageError(
            "no ValidatingAdmissionPolicy and no MutatingAdmissionPolicy", where=where
        )
    bound: set[tuple[str, str]] = set()
    for binding in objects:
        if not binding["kind"].endswith(_BINDING):
            continue
        kind = binding["kind"].removesuffix("Binding")
        key = kind, text_at(binding, "spec", "policyName")
        about = f"{where}: {' '.join(_key(binding))}"
        if key not in policies:
            raise UsageError(
                f"{kind} {key[1]} is not there, so that nothing is evaluated",
                where=about,
                hint="name its file, too",
            )
        if not _has_parameters(policies[key], binding, objects):
            raise UsageError(
                "its parameters are not there, so that nothing is evaluated",
                where=about,
                hint="name their file, too",
            )
        bound.add(key)
    unbound = [" ".join(key) for key in policies if key not in bound]
    if not bound:
        raise UsageError(
            f"{', '.join(unbound)}: no binding, so that nothing is evaluated",
            where=where,
            hint=f"name the file with the {policies.popitem()[0][0]}Binding, too",
        )
    first = "CustomResourceDefinition"
    return sorted(objects, key=lambda value: value["kind"] != first), unbound


def unmatched_policies(
    objects: Sequence[_Object], kinds: Collection[GroupVersionKind], *, is_update: bool
) -> Iterator[str]:
    """The bound policies whose rules, or those of their bindings, match no object of some
    kinds, by its resource and by the operation: objects are created, some are updated.

    Of a custom resource, only the group decides; what selectors and conditions leave out
    is not known.
    """
    operations = {"*", "CREATE", *(("UPDATE",) if is_update else ())}
    for policy in objects:
        if not policy["kind"].endswith(_POLICY):
            continue
        constraints = object_at(policy, "spec", "matchConstraints")
        matches = [
            kind for kind in kinds if _has_rule_for(kind, constraints, operations)
        ]
        bindings = (
            object_at(value, "spec")
            for value in objects
            if value["kind"] == f"{policy['kind']}Binding"
        )
        resources = [
            object_at(binding, "matchResources")
            for binding in bindings
            if binding.get("policyName") == _key(policy)[1]
        ]
        if resources and not any(
            not of_binding.get("resourceRules")
            or _has_rule_for(kind, of_binding, operations)
            for of_binding in resources
            for kind in matches
        ):
            yield " ".join(_key(policy))


def _has_rule_for(
    kind: GroupVersionKind, constraints: _Object, operations: Collection[str]
) -> bool:
    is_custom = kind.group not in built_in_groups()
    wanted: Mapping[str, Collection[str]] = {
        "apiGroups": ("*", kind.group),
        "resources": ("*", "*/*", plural_of(kind)),
        "operations": operations,
    }
    return any(
        all(
            (is_custom and name == "resources")
            or any(text in values for _, text in texts_at(rule, (name,)))
            for name, values in wanted.items()
        )
        for _, rule in items_at(constraints, ("resourceRules",))
    )


def _key(value: _Object) -> tuple[str, str]:
    return value["kind"], text_at(value, "metadata", "name")


def _has_parameters(
    policy: _Object, binding: _Object, objects: Sequence[_Object]
) -> bool:
    """Whether a binding has the parameters that it names. Without them, a server denies
    everything, which is a finding, or with ``Allow`` evaluates nothing."""
    named, kind = (
        object_at(value, "spec", key)
        for value, key in ((binding, "paramRef"), (policy, "paramKind"))
    )
    if not named or not kind or named.get("parameterNotFoundAction") == "Deny":
        return True
    return any(
        value["kind"] == kind.get("kind")
        and value["apiVersion"] == kind.get("apiVersion")
        and named.get("name") in (None, text_at(value, "metadata", "name"))
        for value in objects
    )
