"""Type names in the documented Markdown: the table ``[types]`` of a target."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Schema

_REQUIRED = ("any", "list", "map")


class TypeName(NamedTuple):
    """A type as a page shows it.

    ``link`` is the model in it, whose page is linked to; None for no link, empty for a
    link to a page without a name (the quirk ``empty-links``).
    """

    text: str
    link: str | None


class TypeNames:
    """Names the types of a release with the table ``[types]`` of ``target``.

    ``classes`` maps the full name of a definition to its class. Raises TargetError
    where ``any``, ``list`` or ``map`` is missing from the table.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        classes: Mapping[str, str],
        target: Target,
    ) -> None:
        for key in _REQUIRED:
            if not isinstance(target.types.get(key), str):
                raise target.error("is missing", f"types.{key}")
        self._definitions = definitions
        self._classes = classes
        self._types = target.types
        self._link_of_any = "" if "empty-links" in target.quirks else None
        self._reference = cache(self._refer)
        self._scalar = cache(self._spell_scalar)

    def name(self, schema: Schema) -> TypeName:
        """The name of the type of the values that a schema allows."""
        if schema.ref is not None:
            return self._reference(schema.ref)
        if schema.type == "array":
            return self._container("list", schema.items)
        if schema.values is not None or schema.has_any_values:
            return self._container("map", schema.values)
        return self._scalar(schema.type, schema.format)

    def _refer(self, name: str) -> TypeName:
        definition = self._definitions[name]
        if definition.is_object:
            return TypeName(self._classes[name], self._classes[name])
        return self.name(definition.schema)

    def _container(self, key: str, inner: Schema | None) -> TypeName:
        name = self.name(inner) if inner else TypeName(self._types["any"], None)
        text = self._types[key].replace("{}", name.text)
        # A list of lists has no link.
        is_flat = inner is not None and inner.content is None
        return TypeName(text, (name.link or None) if is_flat else None)

    def _spell_scalar(self, json_type: str | None, json_format: str | None) -> TypeName:
        any_ = self._types["any"]
        text = self._types.get(f"{json_type}:{json_format}") or self._types.get(
            json_type or "", any_
        )
        return TypeName(text, self._link_of_any if text == any_ else None)
