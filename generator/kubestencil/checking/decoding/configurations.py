"""Finds the configurations inside of other configuration files, which programs decode as
they decode files of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.checking.findings import Path
from kubestencil.checking.problems import items_at
from kubestencil.schema.facts.tables import group_version_kind
from kubestencil.schema.types import GroupVersionKind


def inner_configurations(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[tuple[Path, Any, GroupVersionKind]]:
    """What is inside of a configuration file, with paths and kinds: arguments of plugins
    of the scheduler, which need not have a kind (PluginConfig, kube-scheduler), and
    configurations of admission plugins; as the file's own kind what is no object."""
    if kind.kind == "KubeSchedulerConfiguration":
        for profile, _ in items_at(value, ("profiles",)):
            for path, plugin in items_at(value, (*profile, "pluginConfig")):
                version, _ = _names(plugin.get("args"))
                name = f"{plugin.get('name')}Args"
                inner = group_version_kind(version or kind.api_version, name)
                yield (*path, "args"), plugin.get("args"), inner
    elif kind.kind == "AdmissionConfiguration":
        for path, plugin in items_at(value, ("plugins",)):
            inside = plugin.get("configuration")
            inner = group_version_kind(*_names(inside))
            is_object = isinstance(inside, dict)
            yield (*path, "configuration"), inside, inner if is_object else kind


def _names(value: Any) -> tuple[str, str]:
    """The apiVersion and the kind of an object, empty where it has none."""
    names = value if isinstance(value, dict) else {}
    return str(names.get("apiVersion") or ""), str(names.get("kind") or "")
