"""Reads paths of the API server with kubectl, which sends nothing but GET.

Credentials, contexts and proxies are those of kubectl. Answers are not trusted: what
should be a list and is none is an error, and what is no object in it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from kubestencil.checking.clusters.proxy import proxy_of
from kubestencil.checking.paths import items_at, object_at, text_at
from kubestencil.errors import KubestencilError, SourceError
from kubestencil.programs import output_of
from kubestencil.source.decoding import decode_json, decode_text
from kubestencil.source.limits import max_bytes

# Objects of a page, pages of a list, and seconds for each answer.
_PAGE_SIZE = 500
_MAX_PAGES = 2_000
_TIMEOUT = 60


class ServedResource(NamedTuple):
    """A resource that can be listed."""

    api_version: str
    name: str
    kind: str
    namespaced: bool

    @property
    def full_name(self) -> str:
        """As kubectl writes it: ``deployments.apps``."""
        group, slash, _ = self.api_version.rpartition("/")
        return f"{self.name}.{group}" if slash else self.name

    def path(self, namespace: str = "") -> str:
        """Where it is listed: in one namespace, or in all."""
        inside = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"{_version_path(self.api_version)}{inside}/{quote(self.name, safe='')}"


@dataclass(frozen=True, slots=True)
class Kubectl:
    """The user's kubectl with one of its contexts, the current one by default."""

    context: str | None = None

    def check(self) -> None:
        """Ask for the version of the server. Raises ProgramError, with what kubectl says,
        where there is none."""
        self._raw("/version")

    def text(self, path: str) -> str:
        """What the server answers. Raises SourceError where it refuses."""
        proxy = proxy_of(self.context)
        data = proxy.get(path, max_bytes()) if proxy else self._raw(path)
        return decode_text(data, path)

    def _raw(self, path: str) -> bytes:
        command = ["kubectl", "get", f"--raw={path}", f"--request-timeout={_TIMEOUT}s"]
        if self.context is not None:
            command.append(f"--context={self.context}")
        return output_of(command, max_bytes())

    def object(self, path: str) -> Mapping[str, Any]:
        """The same as a JSON object. Raises SpecError for another answer."""
        value = decode_json(self.text(path), path)
        return value if isinstance(value, dict) else {}

    def _list(self, path: str, name: str) -> Mapping[str, Any]:
        """What ``object`` reads, with a list of that name. Raises SourceError without one:
        an error with the status 200 would be read as an empty list."""
        value = self.object(path)
        if name not in value or not isinstance(value[name], list | None):
            raise SourceError(f"answers with no list of {name}", where=path)
        return value

    def items(self, path: str, **query: str) -> Iterator[Mapping[str, Any]]:
        """The objects of a list, read in pages; raises as ``object``, and SourceError
        for a list without an end."""
        token = ""
        for _ in range(_MAX_PAGES):
            wanted = {**query, "limit": _PAGE_SIZE, "continue": token}
            page = self._list(f"{path}?{urlencode(wanted)}", "items")
            yield from (item for _, item in items_at(page, ("items",)))
            token = object_at(page, "metadata").get("continue") or ""
            if not token:
                return
            if not isinstance(token, str):
                raise SourceError(
                    "has no valid token for the rest of the list", where=path
                )
        raise SourceError(f"has more than {_MAX_PAGES:,} pages", where=path)

    def resources(self) -> Iterator[ServedResource | KubestencilError]:
        """The resources that can be listed, each in the version that is preferred among
        those that have it. Of a group that is down, there is the error."""
        seen: set[str] = set()
        for version in ("v1", *self._group_versions()):
            try:
                document = self._list(_version_path(version), "resources")
            except KubestencilError as error:
                if version == "v1":
                    raise
                yield SourceError(error.what, where=version)
                continue
            for _, value in items_at(document, ("resources",)):
                name, kind = text_at(value, "name"), text_at(value, "kind")
                resource = ServedResource(
                    version, name, kind, value.get("namespaced") is True
                )
                verbs = value.get("verbs")
                if isinstance(verbs, list) and "list" in verbs and "/" not in name:
                    if resource.full_name not in seen:
                        yield resource
                    seen.add(resource.full_name)

    def _group_versions(self) -> list[str]:
        groups = items_at(self._list("/apis", "groups"), ("groups",))
        preferred, others = [], []
        for _, group in groups:
            first = text_at(group, "preferredVersion", "groupVersion")
            preferred.append(first)
            for _, version in items_at(group, ("versions",)):
                others.append(text_at(version, "groupVersion"))
        return list(filter(None, dict.fromkeys([*preferred, *others])))


def _version_path(api_version: str) -> str:
    parts = api_version.split("/")
    return "/".join(("/apis" if parts[1:] else "/api", *map(quote, parts)))
