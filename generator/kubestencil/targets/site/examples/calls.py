"""Calls of the operations of a resource: with kubectl, over HTTP, in Rust with kube."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import NamedTuple
from urllib.parse import quote as url_quote

from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.types import Resource
from kubestencil.targets.languages.rust import spelling

#: A patch that every object with metadata accepts, as JSON.
PATCH = '{"metadata": {"labels": {"team": "web"}}}'
#: The namespace in calls.
NAMESPACE = "default"
_SERVER = "http://127.0.0.1:8001"
_DOCUMENT_PREFIX = "io.k8s."
# Commands and calls, each with the verbs that it needs of a resource.
_Calls = Sequence[tuple[str, str]]
_KUBECTL: _Calls = (
    ("list", "kubectl get {plural}"),
    ("list namespaced", "kubectl get {plural} --all-namespaces"),
    ("list", "kubectl get {plural} -l app=web"),
    ("list watch", "kubectl get {plural} --watch"),
    ("get", "kubectl get {object} -o yaml"),
    ("get", "kubectl describe {object}"),
    ("create", "{create}"),
    ("get patch", "kubectl edit {object}"),
    ("patch", "kubectl patch {object} --type=merge -p '{patch}'"),
    ("get update", "kubectl replace -f {file}"),
    ("delete get", "kubectl delete {object}"),
    ("delete list", "kubectl delete {plural} -l app=web"),
)
_CURL: _Calls = (
    ("list", 'curl "$url?limit=100&labelSelector=app%3Dweb"'),
    ("list watch", 'curl "$url?watch=true&timeoutSeconds=60"'),
    ("get", "curl $url/{name}"),
    ("create", "curl -H 'Content-Type: application/yaml' {data} $url"),
    (
        "patch",
        "curl -X PATCH -H 'Content-Type: application/apply-patch+yaml'"
        ' {data} "$url/{name}?fieldManager=me"',
    ),
    (
        "patch",
        "curl -X PATCH -H 'Content-Type: application/merge-patch+json'"
        " -d '{patch}' $url/{name}",
    ),
    ("update", "curl -X PUT -H 'Content-Type: application/yaml' {data} $url/{name}"),
    ("delete", "curl -X DELETE $url/{name}"),
    ("deletecollection", 'curl -X DELETE "$url?labelSelector=app%3Dweb"'),
)
_RUST: _Calls = (
    ("list", "api.list(&{labels}).await?;"),
    ("list watch", 'let _events = api.watch(&WatchParams::default(), "0").await?;'),
    ("get", "api.get({name}).await?;"),
    ("create", "api.create(&PostParams::default(), example).await?;"),
    (
        "create patch",
        'api.patch({name}, &PatchParams::apply("me"), &Patch::Apply(example)).await?;',
    ),
    ("patch", "let patch = json!({patch});"),
    (
        "patch",
        "api.patch({name}, &PatchParams::default(), &Patch::Merge(&patch)).await?;",
    ),
    ("update", "api.replace({name}, &PostParams::default(), example).await?;"),
    ("delete", "api.delete({name}, &DeleteParams::default()).await?;"),
    (
        "deletecollection",
        "api.delete_collection(&DeleteParams::default(), &{labels}).await?;",
    ),
)
_SUBRESOURCES_OF_KUBE = {
    "scale": "api.get_scale({name}).await?;",
    "status": "api.get_status({name}).await?;",
}
# Commands for subresources that have one of their own, by the name of the subresource.
_KUBECTL_SUBRESOURCES: Mapping[str, str] = {
    "scale": "kubectl scale {object} --replicas=3",
    "status": "kubectl get {object} --subresource=status -o yaml",
}
# The same for those of single resources of Kubernetes.
_KUBECTL_OF_RESOURCES: Mapping[tuple[str, str], str] = {
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


def manifest_name(resource: Resource) -> str:
    """The file with an object of a resource: ``deployment.yaml``."""
    return f"{resource.singular}.yaml"


class CalledResource(NamedTuple):
    """A resource as calls name it.

    ``name`` is that of the object, ``kubectl_name`` what kubectl needs after the plural
    or singular (``ReleaseOperations``). ``definition`` is the definition of a kind of
    Kubernetes, empty for a custom one.
    """

    resource: Resource
    name: str
    kubectl_name: str
    definition: str

    @property
    def file(self) -> str:
        """The manifest in commands."""
        return manifest_name(self.resource)


def kubectl_lines(called: CalledResource) -> Iterator[str]:
    """The commands, each on a line."""
    resource = called.resource
    plural = quote(f"{resource.plural}{called.kubectl_name}")
    name = quote(called.name)
    target = f"{quote(f'{resource.singular}{called.kubectl_name}')} {name}"
    yield from _calls(
        _KUBECTL,
        resource,
        plural=plural,
        object=target,
        file=quote(called.file),
        create=create_command(resource),
    )
    yield from _subresource_lines(resource, target, name)
    if not called.kubectl_name:
        version = quote(resource.kind.api_version)
        yield f"kubectl explain {plural} --api-version={version}"


def _calls(calls: _Calls, resource: Resource, **texts: str) -> Iterator[str]:
    """The calls whose verbs a resource has, with ``texts`` in them."""
    has = {*resource.verbs, *(["namespaced"] if resource.namespaced else [])}
    for verbs, line in calls:
        if has.issuperset(verbs.split()):
            yield line.format(patch=PATCH, **texts)


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
        line = _KUBECTL_SUBRESOURCES.get(subresource.name)
        if line and "get" in subresource.verbs:
            yield line.format(object=target)
        elif group in _KUBERNETES_GROUPS:
            line = _KUBECTL_OF_RESOURCES.get((resource.plural, subresource.name))
            if line:
                yield line.format(object=target, name=name)
    if group == "apps" and resource.plural in _ROLLOUTS:
        yield f"kubectl rollout status {target}"
        yield f"kubectl rollout restart {target}"


def http_calls(
    called: CalledResource, operations: Iterable[Operation]
) -> Iterator[str]:
    """Lines of a shell that call the operations with curl."""
    resource = called.resource
    namespace = f"/namespaces/{NAMESPACE}" if resource.namespaced else ""
    address = url_quote(f"{resource.api_path}{namespace}/{resource.plural}", safe="/")
    name = quote(url_quote(called.name, safe=""))
    data = f"--data-binary @{quote(called.file)}"
    yield "kubectl proxy &"
    yield f"url={_SERVER}{quote(address)}"
    yield ""
    yield from _calls(_CURL, resource, name=name, data=data)
    for path in _readable_subresources(operations):
        yield f"curl $url/{name}/{quote(url_quote(path, safe=''))}"


def _readable_subresources(operations: Iterable[Operation]) -> Iterator[str]:
    """The subresources that are read, without connections."""
    for operation in operations:
        head, _, subresource = operation.path.partition("/{name}/")
        if head and subresource and operation.action == "get":
            yield subresource


def rust_calls(called: CalledResource) -> Iterator[str]:
    """Lines of Rust that call the operations with kube."""
    resource = called.resource
    is_typed = bool(called.definition)
    kind = spelling.type_name(resource.kind.kind) if is_typed else "DynamicObject"
    if is_typed:
        yield f"use k8s_openapi::{_type_path(called.definition)};"
    body = list(_rust_lines(called, is_typed=is_typed))
    text = "\n".join(body)
    names = [name for name in _KUBE_NAMES if f"{name}::" in text]
    if not is_typed:
        names = sorted([*names, "ApiResource", "DynamicObject", "GroupVersionKind"])
    if names:
        yield f"use kube::api::{{{', '.join(names)}}};"
    yield "use kube::{Api, Client};"
    if "json!" in text:
        yield "use serde_json::json;"
    yield ""
    example = (
        "" if {"create", "update"}.isdisjoint(resource.verbs) else f", example: &{kind}"
    )
    yield f"pub async fn call(client: Client{example}) -> kube::Result<()> {{"
    yield from (f"    {line}" for line in body)
    yield "    Ok(())"
    yield "}"


_KUBE_NAMES = (
    "DeleteParams", "ListParams", "LogParams", "Patch", "PatchParams", "PostParams",
    "WatchParams",
)  # fmt: skip


def _type_path(definition: str) -> str:
    """The path of a type of Kubernetes in k8s-openapi: ``api::apps::v1::Deployment``."""
    *modules, kind = definition.removeprefix(_DOCUMENT_PREFIX).split(".")
    return "::".join([*map(spelling.module_name, modules), spelling.type_name(kind)])


def _rust_lines(called: CalledResource, *, is_typed: bool) -> Iterator[str]:
    resource = called.resource
    kind = resource.kind
    name = spelling.string_literal(called.name)
    namespace = spelling.string_literal(NAMESPACE)
    if is_typed:
        scope = (
            f"namespaced(client, {namespace})" if resource.namespaced else "all(client)"
        )
        yield f"let api: Api<{spelling.type_name(kind.kind)}> = Api::{scope};"
    else:
        texts = map(spelling.string_literal, (kind.group, kind.version, kind.kind))
        yield f"let kind = GroupVersionKind::gvk({', '.join(texts)});"
        plural = spelling.string_literal(resource.plural)
        yield f"let resource = ApiResource::from_gvk_with_plural(&kind, {plural});"
        scope = (
            f"namespaced_with(client, {namespace}, &resource)"
            if resource.namespaced
            else "all_with(client, &resource)"
        )
        yield f"let api: Api<DynamicObject> = Api::{scope};"
    labels = 'ListParams::default().labels("app=web")'
    yield from _calls(_RUST, resource, name=name, labels=labels)
    for subresource in resource.subresources:
        line = _SUBRESOURCES_OF_KUBE.get(subresource.name)
        if line and "get" in subresource.verbs:
            yield line.format(name=name)
        elif (resource.plural, subresource.name, kind.group) == ("pods", "log", ""):
            yield f"api.logs({name}, &LogParams::default()).await?;"
