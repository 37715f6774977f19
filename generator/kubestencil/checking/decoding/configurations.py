"""Finds the configurations inside of other configuration files, which programs decode as
they decode files of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.checking.paths import Path, items_at, text_at
from kubestencil.schema.types import GroupVersionKind, group_version_kind


def inner_configurations(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[tuple[Path, Any, GroupVersionKind]]:
    """What is inside of a configuration file, with paths and kinds: arguments of plugins
    of the scheduler, which need not have a kind (PluginConfig, kube-scheduler), and
    configurations of admission plugins; as the file's own kind what is no object."""
    if kind.kind == "KubeSchedulerConfiguration":
        for profile, _ in items_at(value, ("profiles",)):
            for path, plugin in items_at(value, (*profile, "pluginConfig")):
                version = text_at(plugin, "args", "apiVersion") or kind.api_version
                inner = group_version_kind(version, f"{plugin.get('name')}Args")
                yield (*path, "args"), plugin.get("args"), inner
    elif kind.kind == "AdmissionConfiguration":
        for path, plugin in items_at(value, ("plugins",)):
            inside = plugin.get("configuration")
            names = (text_at(inside, name) for name in ("apiVersion", "kind"))
            inner = group_version_kind(*names)
            is_object = isinstance(inside, dict)
            yield (*path, "configuration"), inside, inner if is_object else kind
