"""All that is checked of a cluster, as texts of manifests."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from kubestencil.checking.clusters.helm import LABELS, is_release, read_release
from kubestencil.checking.clusters.kubectl import Kubectl, ServedResource
from kubestencil.checking.clusters.live import (
    last_applied,
    without_server_fields,
    written,
)
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.findings import shorten
from kubestencil.checking.paths import text_at
from kubestencil.errors import KubestencilError, SpecError, UsageError
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.limits import max_bytes, too_large

_CRD_VERSION = "apiextensions.k8s.io/v1"
_CRDS = f"/apis/{_CRD_VERSION}/customresourcedefinitions"
# Nobody writes events, of which there are many; to read the others, which controllers
# write, is a deprecated call itself.
_LEFT_OUT = ("events", "events.events.k8s.io", "componentstatuses", "endpoints")
# Objects that the server writes again when it is upgraded.
_BOOTSTRAPPED = "kubernetes.io/bootstrapping"
# Of other Secrets, nothing is read.
_RELEASES = {
    "fieldSelector": "type=helm.sh/release.v1",
    "labelSelector": ",".join(f"{name}={value}" for name, value in LABELS.items()),
}
# Whose objects name other resources, or versions of their own.
_NAMING_GROUPS = (
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "rbac.authorization.k8s.io",
)
_SAMPLE = re.compile(
    r"^(apiserver_request(?:ed_deprecated_apis|_total))\{([^\n]*)\} (\S+)$",
    re.MULTILINE,
)
# What kubectl prints of the status 403.
_FORBIDDEN = "Forbidden"
_LABEL = re.compile(r'(\w+)="([^"\\]*)"')


@dataclass(frozen=True, slots=True)
class ClusterReader:
    """Reads a cluster, or only some namespaces and resources of it (``deployments``,
    ``deployments.apps``)."""

    kubectl: Kubectl
    namespaces: Collection[str] = ()
    resources: Collection[str] = ()

    def definitions(self) -> CrdSet | None:
        """The CustomResourceDefinitions of the cluster; None without any, and where
        they may not be read. Raises SourceError where there is no cluster, and where all
        together are larger than a document may be."""
        self.kubectl.check()
        name = "<cluster>/customresourcedefinitions"
        kind = {"apiVersion": _CRD_VERSION, "kind": "CustomResourceDefinition"}
        texts: list[str] = []
        size = 0
        try:
            for item in self.kubectl.items(_CRDS):
                texts.append(json.dumps({**item, **kind}))
                size += len(texts[-1])
                if size > max_bytes():
                    break
        except KubestencilError:
            return None
        if size > max_bytes():
            raise too_large(name, "more")
        data = f'{{"kind": "List", "items": [{", ".join(texts)}]}}'.encode()
        return CrdSet((name,), (SourceFile(name, data),)) if texts else None

    def files(self) -> Iterator[ManifestFile]:
        """What was written to the cluster. What it does not let read comes with the
        reason. Raises UsageError for a resource or a namespace that it does not have.
        """
        served: list[ServedResource] = []
        for found in self.kubectl.resources():
            if isinstance(found, KubestencilError):
                yield _unread(found.where, found)
            else:
                served.append(found)
        unknown = set(self.resources).difference(
            *((resource.name, resource.full_name) for resource in served)
        )
        if unknown:
            raise UsageError(
                "is no resource of the cluster",
                where=f"--resource {min(unknown)}",
                hint="kubectl api-resources lists them",
            )
        for namespace in self.namespaces:
            self._check_namespace(namespace)
        if not self.namespaces and not self.resources:
            yield from self._of_metrics(served)
        for resource in served:
            if self._is_wanted(resource):
                for namespace in self._namespaces_of(resource):
                    yield from self._of_resource(resource, namespace)

    def _check_namespace(self, name: str) -> None:
        """Raise UsageError for a namespace that is not there: its lists are empty. Who
        may not ask is not told."""
        try:
            self.kubectl.object(f"/api/v1/namespaces/{quote(name, safe='')}")
        except KubestencilError as error:
            if "NotFound" in error.what:
                raise UsageError(
                    "is no namespace of the cluster",
                    where=f"--namespace {name}",
                    hint="kubectl get namespaces lists them",
                ) from error

    def _is_wanted(self, resource: ServedResource) -> bool:
        names = {resource.name, resource.full_name}
        if self.resources:
            return not names.isdisjoint(self.resources)
        return names.isdisjoint(_LEFT_OUT)

    def _namespaces_of(self, resource: ServedResource) -> Collection[str]:
        if not self.namespaces:
            return ("",)
        return self.namespaces if resource.namespaced else ()

    def _of_resource(
        self, resource: ServedResource, namespace: str
    ) -> Iterator[ManifestFile]:
        query = _RELEASES if resource.full_name == "secrets" else {}
        try:
            for item in self.kubectl.items(resource.path(namespace), **query):
                value = {
                    **item,
                    "apiVersion": resource.api_version,
                    "kind": resource.kind,
                }
                yield from _of_object(value)
        except KubestencilError as error:
            yield _unread(resource.full_name, error)

    def _of_metrics(self, served: Collection[ServedResource]) -> Iterator[ManifestFile]:
        """The deprecated resources that the server was asked for since it was started."""
        name = "<cluster>/metrics"
        try:
            text = self.kubectl.text("/metrics")
        except KubestencilError as error:
            yield _unread("metrics", error)
            return
        deprecated: set[tuple[str, str]] = set()
        counts: Counter[tuple[str, str]] = Counter()
        for metric, label_text, number in _SAMPLE.findall(text):
            labels = dict(_LABEL.findall(label_text))
            names = filter(None, map(labels.get, ("group", "version")))
            key = "/".join(names), labels.get("resource", "")
            if metric.endswith("apis"):
                deprecated.add(key)
            else:
                counts[key] += _number(number)
        kinds = {resource.full_name: resource.kind for resource in served}
        for api_version, plural in sorted(deprecated):
            kind = kinds.get(ServedResource(api_version, plural, "", False).full_name)
            if kind is not None:
                manager = f"requests counted: {counts[api_version, plural]:,}"
                value = {"apiVersion": api_version, "kind": kind}
                yield _file(name, value, manager, is_part=True)


def _of_object(value: Mapping[str, Any]) -> Iterator[ManifestFile]:
    namespace, name = (text_at(value, "metadata", key) for key in ("namespace", "name"))
    steps = filter(None, ("<cluster>", namespace, value["kind"], name))
    # Each finding has it.
    where = shorten("/".join(steps))
    if value["kind"] in ("Secret", "ConfigMap") and is_release(value):
        try:
            yield read_release(value, where)
        except KubestencilError as error:
            yield ManifestFile(where, error.what)
        return
    try:
        applied = last_applied(value)
    except SpecError as error:
        yield ManifestFile(where, f"the manifest that was applied last {error.what}")
        return
    size = 0
    for part in written(value, applied):
        # Nobody applies the status, which has the versions of what is stored.
        is_definition = value["apiVersion"] == _CRD_VERSION and "status" in value
        stored = (
            {"status": value["status"]} if is_definition and not part.is_part else {}
        )
        whole = {**part.value, **stored}
        file = _file(where, whole, part.manager, is_part=part.is_part)
        size += len(file.content or b"")
        if size > max_bytes():
            # Each of its managers can have all of an object.
            yield ManifestFile(where, "too much in it for its number of managers")
            return
        yield file
    group = value["apiVersion"].rpartition("/")[0]
    is_own = bool(text_at(value, "metadata", "labels", _BOOTSTRAPPED))
    if group in _NAMING_GROUPS and applied is None and not is_own:
        yield _file(where, without_server_fields(value), "", is_part=False)


def _unread(name: str, error: KubestencilError) -> ManifestFile:
    """What is not read. One reason stands for all that the cluster does not let read, as
    the names of resources would make each another one."""
    is_forbidden = _FORBIDDEN in error.what
    reason = "the cluster does not allow reading it" if is_forbidden else error.what
    return ManifestFile(shorten(f"<cluster>/{name}"), reason)


def _file(
    name: str, value: Mapping[str, Any], manager: str, *, is_part: bool
) -> ManifestFile:
    data = json.dumps(value).encode()
    return ManifestFile(name, content=data, manager=manager, is_part=is_part)


def _number(text: str) -> int:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return 0
