"""What manifests use of releases: kinds, and the fields that they write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.manifests import Manifest, Mistake, read_manifests
from kubestencil.checking.paths import Path, object_at, parts_of
from kubestencil.diff.labels import Place
from kubestencil.diff.selection import UsedObject, Uses
from kubestencil.schema.kinds import served_kinds
from kubestencil.schema.types import (
    Definition,
    GroupVersionKind,
    Release,
    Schema,
    group_version_kind,
)
from kubestencil.schema.well_known import OBJECT_META

_CORE = "io.k8s.api.core.v1"
# The fields whose value, or whose keys, are labels of nodes.
_LABELS_OF_NODES = {
    (f"{_CORE}.PodSpec", "nodeSelector"),
    (f"{_CORE}.NodeSelectorRequirement", "key"),
    (f"{_CORE}.TopologySpreadConstraint", "topologyKey"),
}


class ManifestUses(NamedTuple):
    """What manifests use, and the numbers of ``files`` and of ``objects`` that were read.

    ``unread`` says which documents could not be read and why, ``unknown`` has the places of
    the objects whose kinds no release has.
    """

    uses: Uses
    files: int
    objects: int
    unread: Sequence[str]
    unknown: Mapping[GroupVersionKind, Sequence[Place]]


def uses_of_manifests(
    manifests: Iterable[ManifestFile], releases: Iterable[Release]
) -> ManifestUses:
    """What manifests use of any of some releases.

    Raises SourceError for a file that cannot be read.
    """
    known = [
        (
            {kind: found.name for kind, found in served_kinds(release)},
            release.definitions,
        )
        for release in releases
    ]
    uses, unread = Uses(), []
    unknown: dict[GroupVersionKind, list[Place]] = {}
    files: set[str] = set()
    for file in manifests:
        if file.reason_to_skip:
            # Files that are no manifests are no matter; a cluster has nothing else.
            if file.path.startswith("<"):
                unread.append(f"{file.name}: {file.reason_to_skip}")
            continue
        files.add(file.name)
        for item in read_manifests(file.read(), file.name):
            if isinstance(item, Mistake):
                place = Place(file.name, item.at.line)
                unread.append(f"{place}: {item.problem.message}")
            if not isinstance(item, Manifest):
                continue
            kind = group_version_kind(item.value["apiVersion"], item.value["kind"])
            # Definitions have one name in all releases, and fields are told by it.
            is_known = False
            for kinds, definitions in known:
                if kind in kinds:
                    is_known = True
                    _Walk(item, file, definitions, uses).add(kinds[kind])
            place = Place(file.name, item.position(()).line)
            of_kind = uses.kinds if is_known else unknown
            of_kind.setdefault(kind, []).append(place)
    # What several managers wrote of an object is one object.
    objects = sum(len({*places}) for places in uses.kinds.values())
    return ManifestUses(uses, len(files), objects, unread, unknown)


class _Part(NamedTuple):
    """A value in an object with its schema: ``definition`` is the one that the schema is
    part of, ``prefix`` the names of the fields from it to the value."""

    schema: Schema
    value: Any
    path: Path
    definition: str
    prefix: str


class _Walk(NamedTuple):
    """Adds what one object uses."""

    manifest: Manifest
    file: ManifestFile
    definitions: Mapping[str, Definition]
    uses: Uses

    def add(self, definition: str) -> None:
        """Add the uses of the object, which is of a definition."""
        schema = self.definitions[definition].schema
        # An object can be deeper than calls may be nested.
        pending = [_Part(schema, self.manifest.value, (), definition, "")]
        while pending:
            part = pending.pop()
            name = part.schema.ref
            if name == OBJECT_META:
                self._add_annotations(part)
            if name is not None:
                schema = self.definitions[name].schema
                part = part._replace(schema=schema, definition=name, prefix="")
            pending += self._members(part)

    def _add_annotations(self, part: _Part) -> None:
        """Add the annotations in the metadata of an object or a template of objects, as
        fields of the definition that has the metadata."""
        for key in object_at(part.value, "annotations"):
            name = f"{part.prefix}.annotations.{key}"
            places = self.uses.fields.setdefault((part.definition, name), [])
            path = *part.path, "annotations", key
            places.append(self._place(path, of_key=True))

    def _add_labels(self, names: Any, path: Path) -> None:
        """Add labels of nodes, as fields of a node: a text, or the keys of an object."""
        for name in (names,) if isinstance(names, str) else object_at(names):
            field = f"metadata.labels.{name}"
            places = self.uses.fields.setdefault((f"{_CORE}.Node", field), [])
            places.append(self._place(path, of_key=True))

    def _members(self, part: _Part) -> Iterator[_Part]:
        """The values in a value; those of fields are added to the uses."""
        schema, value, path = part.schema, part.value, part.path
        inner_schema = schema.items if isinstance(value, list) else schema.values
        if isinstance(value, dict) and schema.fields:
            names = None if self.file.is_part else frozenset(map(str, value))
            used = UsedObject(self._place(path), names)
            key = part.definition, part.prefix
            self.uses.objects.setdefault(key, []).append(used)
            for field in schema.fields:
                if field.name not in value:
                    continue
                inner = *path, field.name
                prefix = f"{part.prefix}.{field.name}".lstrip(".")
                key_of_field = part.definition, prefix
                places = self.uses.fields.setdefault(key_of_field, [])
                places.append(self._place(inner, of_key=True))
                if key_of_field in _LABELS_OF_NODES:
                    self._add_labels(value[field.name], inner)
                yield _Part(
                    field.schema, value[field.name], inner, part.definition, prefix
                )
        elif inner_schema is not None:
            for step, item in parts_of(value):
                yield part._replace(schema=inner_schema, value=item, path=(*path, step))

    def _place(self, path: Path, *, of_key: bool = False) -> Place:
        return Place(self.file.name, self.manifest.position(path, of_key=of_key).line)
