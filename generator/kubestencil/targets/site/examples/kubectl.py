"""The kubectl commands for the verbs and subresources of a resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote

from kubestencil.schema.resource import Resource
from kubestencil.targets.site.examples.calls import PATCH, CalledResource, manifest_name

# Commands for subresources that have one of their own, by the name of the subresource.
_SUBRESOURCES: Mapping[str, str] = {
    "scale": "kubectl scale {object} --replicas=3",
    "status": "kubectl get {object} --subresource=status -o yaml",
}
# The same for those of single resources of Kubernetes.
_OF_RESOURCES: Mapping[tuple[str, str], str] = {
    ("pods", "attach"): "kubectl attach {name} -i",
    ("pods", "ephemeralcontainers"): "kubectl debug {name} -it --image=busybox",
    ("pods", "exec"): "kubectl exec -it {name} -- sh",
    ("pods", "log"): "kubectl logs {name} --follow",
    ("pods", "portforward"): "kubectl port-forward {name} 8080:80",
    ("pods", "resize"): "kubectl edit {object} --subresource=resize",
    ("serviceaccounts", "token"): "kubectl create token {name}",
    (
        "certificatesigningrequests",
        "approval",
    ): "kubectl certificate approve {name}",
}
# The kinds whose rollouts kubectl follows (kubectl, polymorphichelpers).
_ROLLOUTS = frozenset({"daemonsets", "deployments", "statefulsets"})
_KUBERNETES_GROUPS = frozenset({"", "apps", "certificates.k8s.io"})


def kubectl_lines(called: CalledResource) -> Iterator[str]:
    """The commands, each on a line."""
    resource = called.resource
    plural = quote(f"{resource.plural}{called.kubectl_name}")
    singular = quote(f"{resource.singular}{called.kubectl_name}")
    name, file = quote(called.name), quote(called.file)
    target = f"{singular} {name}"
    verbs = frozenset(resource.verbs)
    if "list" in verbs:
        yield f"kubectl get {plural}"
        if resource.namespaced:
            yield f"kubectl get {plural} --all-namespaces"
        yield f"kubectl get {plural} -l app=web"
    if verbs >= {"list", "watch"}:
        yield f"kubectl get {plural} --watch"
    if "get" in verbs:
        yield f"kubectl get {target} -o yaml"
        yield f"kubectl describe {target}"
    if "create" in verbs:
        yield create_command(resource)
    if verbs >= {"get", "patch"}:
        yield f"kubectl edit {target}"
    if "patch" in verbs:
        yield f"kubectl patch {target} --type=merge -p '{PATCH}'"
    if verbs >= {"get", "update"}:
        yield f"kubectl replace -f {file}"
    if verbs >= {"delete", "get"}:
        yield f"kubectl delete {target}"
    if verbs >= {"delete", "list"}:
        yield f"kubectl delete {plural} -l app=web"
    yield from _subresource_lines(resource, target, name)
    if not called.kubectl_name:
        version = quote(resource.kind.api_version)
        yield f"kubectl explain {plural} --api-version={version}"


def create_command(resource: Resource) -> str:
    """The command that creates the object of a manifest: server-side apply where the
    object can be read and patched."""
    file = quote(manifest_name(resource))
    if {"get", "patch"} <= frozenset(resource.verbs):
        return f"kubectl apply --server-side -f {file}"
    return f"kubectl create -f {file} -o yaml"


def _subresource_lines(resource: Resource, target: str, name: str) -> Iterator[str]:
    group = resource.kind.group
    for subresource in resource.subresources:
        line = _SUBRESOURCES.get(subresource.name)
        if line and "get" in subresource.verbs:
            yield line.format(object=target)
        elif group in _KUBERNETES_GROUPS:
            line = _OF_RESOURCES.get((resource.plural, subresource.name))
            if line:
                yield line.format(object=target, name=name)
    if group == "apps" and resource.plural in _ROLLOUTS:
        yield f"kubectl rollout status {target}"
        yield f"kubectl rollout restart {target}"
