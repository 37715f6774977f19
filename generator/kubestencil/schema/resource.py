"""How the API server serves a kind: its names, scope, verbs and columns."""

from __future__ import annotations

from dataclasses import dataclass

from kubestencil.schema.types import GroupVersionKind


@dataclass(frozen=True, slots=True)
class Subresource:
    """An endpoint below a resource: ``status``, ``scale``, ``log``.

    ``kind`` is the kind that it takes and returns, None where that is the kind of the
    resource itself. ``verbs`` are sorted.
    """

    name: str
    verbs: tuple[str, ...]
    kind: GroupVersionKind | None = None


@dataclass(frozen=True, slots=True)
class PrinterColumn:
    """A column that ``kubectl get`` prints.

    ``json_path`` leads to its value; it is empty for Kubernetes' own kinds, whose values
    the server computes. Columns with a ``priority`` above 0 are shown
    with ``-o wide`` only.
    """

    name: str
    type: str
    json_path: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Resource:
    """How the API server serves a kind.

    ``plural`` is the name in paths, ``singular`` and ``short_names`` are the other
    names that kubectl takes. ``verbs`` are sorted and in the words of discovery
    (``deletecollection``). ``selectable_fields`` are JSON paths without the leading
    dot. ``conversion`` is how custom resources are converted between versions (``None``,
    ``Webhook``). ``storage`` says that objects are stored in this version, ``deprecated`` that
    the API server warns of it, with ``deprecation_warning`` where the warning is not
    its usual one.

    Source: APIResource (apimachinery, meta/v1/types.go) and
    CustomResourceDefinitionVersion (apiextensions, v1/types.go).
    """

    kind: GroupVersionKind
    plural: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    subresources: tuple[Subresource, ...] = ()
    printer_columns: tuple[PrinterColumn, ...] = ()
    selectable_fields: tuple[str, ...] = ()
    served: bool = True
    storage: bool = False
    deprecated: bool = False
    deprecation_warning: str | None = None
    conversion: str | None = None

    @property
    def api_path(self) -> str:
        """The path of the kind's group and version: ``/api/v1``, ``/apis/apps/v1``."""
        prefix = "/apis" if self.kind.group else "/api"
        return f"{prefix}/{self.kind.api_version}"
