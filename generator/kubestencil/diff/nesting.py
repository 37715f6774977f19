"""The fields of a type and of all types below it, by their paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.field_paths import FieldPath, field_at_path, fields_along
from kubestencil.schema.types import Schema


class TypeTree(NamedTuple):
    """A type and the types below it, or one field of it and the types below that.

    ``paths`` leads to the definitions, by their ``local_name``: JSON names with dots
    between them, empty for the type itself. Each definition is there once, at its former
    path or a shortest one. ``fields`` has all fields by their paths, those of outer types
    first, each behind the inline object that it is in. ``steps`` are the fields on the
    way to the one field, and itself, by their paths, as far as there are such fields.
    ``own_fields`` are the paths of the fields of the type itself and of its inline
    objects, or of the one field; ``package`` is that of the type.
    """

    package: str
    paths: Mapping[str, str]
    fields: Mapping[str, FieldPath]
    steps: Mapping[str, FieldPath]
    own_fields: Collection[str]

    def path(self, name: str, field: str | None) -> str | None:
        """The path of a field of a definition, or of the definition itself, empty for the
        type; None for what is not in the tree. The field need not be there."""
        for path, step in self.steps.items():
            holder = local_name(step.definition, self.package)
            if (holder, step.field.name) == (name, field):
                return path
        if name not in self.paths:
            return None
        return ".".join(filter(None, (self.paths[name], field)))

    def is_above(self, path: str) -> bool:
        """Whether a field leads to the one field that the tree is limited to."""
        return path in self.steps and path not in self.fields


def local_name(definition: str, package: str) -> str:
    """How a definition is called in all versions of a type, which is in ``package``:
    only the last part of its name where it is in there, too."""
    own_package, _, name = definition.rpartition(".")
    return name if own_package == package else definition


def type_tree(
    definition: Definition,
    release: Release,
    field_path: str | None,
    former_paths: Mapping[str, str],
) -> TypeTree:
    """The type ``definition`` of a release and all below it; only the field at a path
    and what is below that, where one is given.

    ``former_paths`` are ``TypeTree.paths`` of earlier releases. A type that is still
    there keeps its path, even where a shorter one leads to it now.
    """
    package = definition.name.rpartition(".")[0]
    steps: Mapping[str, FieldPath] = {}
    fields: dict[str, FieldPath] = {}
    start: Definition | None = definition
    if field_path is not None:
        along = fields_along(definition, release, field_path)
        steps = {step.path: step for step in along}
        if field_path not in steps:
            return TypeTree(package, {}, {}, steps, ())
        fields[field_path] = steps[field_path]
        start = _target(steps[field_path].field.schema, release)

    def kept_path(name: str, target: Definition) -> str | None:
        """The former path of a type if it still leads to it."""
        former = former_paths.get(name, "")
        step = field_at_path(definition.name, former, release.schema_named)
        leads = step is not None and _target(step.field.schema, release) is target
        return former if leads else None

    paths = {} if start is None else {local_name(start.name, package): field_path or ""}
    pending = deque([] if start is None else [(start, field_path or "")])
    while pending:
        outer, outer_path = pending.popleft()
        for field in _fields(outer, outer_path, release):
            path = field.path
            fields[path] = field
            target = _target(field.field.schema, release)
            if target is None:
                continue
            name = local_name(target.name, package)
            if name in paths:
                continue
            if target.name in release.inline_definitions:
                paths[name] = path
            else:
                paths[name] = kept_path(name, target) or path
                pending.append((target, paths[name]))
    own_fields = (
        (field_path,)
        if field_path is not None
        else tuple(field.path for field in _fields(definition, "", release))
    )
    return TypeTree(package, paths, fields, steps, own_fields)


def _fields(definition: Definition, path: str, release: Release) -> Iterator[FieldPath]:
    """The fields of the type at a path and of its inline objects."""
    for field in definition.fields:
        name = f"{path}.{field.name}" if path else field.name
        yield FieldPath(name, field, definition.name)
        target = _target(field.schema, release)
        if target is not None and target.name in release.inline_definitions:
            yield from _fields(target, name, release)


def _target(schema: Schema | None, release: Release) -> Definition | None:
    """The definition that a field refers to, or the items or values of one."""
    name = schema and schema.innermost().ref
    return release.definitions[name] if name else None
