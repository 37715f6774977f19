"""The operations of an API server on anything else than a resource: discovery, its
version, the keys of its tokens, its logs.

They are rebuilt for documents without paths; a part of a document, without the types of
discovery, has none. Those of discovery follow a rule (apiserver, pkg/endpoints/discovery
and pkg/server/routes), the others are listed here.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubestencil.schema.operations import media_types
from kubestencil.schema.operations.details import (
    STRING,
    UNAUTHORIZED,
    OperationDetails,
    OperationParameter,
    Response,
)
from kubestencil.schema.operations.rebuilt import capitalized, operation_tag
from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.types import Release, Schema, reference_to
from kubestencil.schema.well_known import META_V1

_VERSION = "io.k8s.apimachinery.pkg.version.Info"
_JSON = ("application/json",)


def discovery_operations(release: Release) -> Iterator[OperationDetails]:
    """The operations of the API server of a release that are on no resource.

    Its document has no discovery of custom resources.
    """
    if f"{META_V1}.APIResourceList" in release.definitions:
        yield from _discovery(release)
    if _VERSION in release.definitions:
        yield from _others()


def _discovery(release: Release) -> Iterator[OperationDetails]:
    kinds = release.resources.keys() - release.custom_kinds
    groups = {kind.group for kind in kinds if kind.group}
    versions = {(kind.group, kind.version) for kind in kinds}
    get_versions = "get available API versions"
    general = media_types.discovered(release.name, is_version=False)
    of_version = media_types.discovered(release.name, is_version=True)
    yield _get(
        "/api/", "getCoreAPIVersions", "core", get_versions, "APIVersions", general
    )
    yield _get(
        "/apis/", "getAPIVersions", "apis", get_versions, "APIGroupList", general
    )
    for group in sorted(groups):
        tag = operation_tag(group)
        name = f"get{capitalized(tag)}APIGroup"
        about = "get information of a group"
        yield _get(f"/apis/{group}/", name, tag, about, "APIGroup", general)
    for group, version in sorted(versions):
        tag = operation_tag(group, version)
        words = "".join(map(capitalized, tag.split("_")))
        path = f"/apis/{group}/{version}/" if group else f"/api/{version}/"
        yield _get(
            path,
            f"get{words}APIResources",
            tag,
            "get available resources",
            "APIResourceList",
            of_version,
        )


def _others() -> Iterator[OperationDetails]:
    yield _operation(
        "/.well-known/openid-configuration/",
        "getServiceAccountIssuerOpenIDConfiguration",
        "WellKnown",
        produces=_JSON,
        result=STRING,
    )
    yield _operation(
        "/openid/v1/jwks/",
        "getServiceAccountIssuerOpenIDKeyset",
        "openid",
        produces=("application/jwk-set+json",),
        result=STRING,
    )
    yield _operation(
        "/version/",
        "getCodeVersion",
        "version",
        produces=_JSON,
        result=reference_to(_VERSION),
    )._replace(consumes=_JSON)
    yield _operation("/logs/", "logFileListHandler", "logs")
    path = OperationParameter("logpath", "path", True, "path to the log", STRING)
    yield _operation("/logs/{logpath}", "logFileHandler", "logs")._replace(
        path_parameters=(path,)
    )


def _get(
    path: str, name: str, tag: str, about: str, kind: str, produces: tuple[str, ...]
) -> OperationDetails:
    """An operation of discovery, which returns an object of a ``kind`` of meta/v1."""
    result = reference_to(f"{META_V1}.{kind}")
    operation = _operation(path, name, tag, produces=produces, result=result)
    return operation._replace(description=about, consumes=produces)


def _operation(
    path: str,
    name: str,
    tag: str,
    produces: tuple[str, ...] = (),
    result: Schema | None = None,
) -> OperationDetails:
    responses = [UNAUTHORIZED]
    if result is not None:
        responses.insert(0, Response("200", "OK", result))
    return OperationDetails(
        operation=Operation(name, "get", path, "", None),
        tag=tag,
        description="",
        path_parameters=(),
        parameters=(),
        consumes=(),
        produces=produces,
        responses=tuple(responses),
    )
