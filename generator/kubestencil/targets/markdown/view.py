"""The view of documentation pages: a model, its fields, their types and texts.

Names are those of the Python clients, texts are Markdown. What a page calls a
type is data of the target: the table ``[types]``.

``[spelling]``: ``acronyms``, ``reserved_prefix`` and ``mapped`` as in
``kubestencil.targets.python.names.Spelling``. ``[types]``: ``any``, ``list`` and ``map``
(with ``{}`` for what is inside), and a JSON type, or ``type:format``, each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.targets.python.names import class_names, snake_case
from kubestencil.targets.python.spelling_options import spelling
from kubestencil.text import markdown


# Tuples, since a run makes some twenty thousand rows, and a frozen dataclass takes
# four times as long to make.
class FieldRow(NamedTuple):
    """A field on a page. ``link`` is the page its type is on: None for no link."""

    name: str
    type: str
    link: str | None
    description: str
    required: bool
    read_only: bool
    default: str | None
    trimmed: bool


class ModelPage(NamedTuple):
    """A definition that has fields. ``module`` is where the client has the class."""

    name: str
    module: str
    definition: str
    description: str
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A model in a list: its class and what Kubernetes calls it."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """The models of one group and version, in the order of their kinds."""

    group: str
    version: str
    models: tuple[Entry, ...]


#: What targets can print files for.
EACH: Mapping[str, Each] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The pages of ``release``.

    Raises SpecError where two definitions get the same name, TargetError for a
    spelling, type or quirk that the target gets wrong.
    """
    pages = _Pages(release, target)
    return Contexts(files=pages.files(), post_process=pages.finish())


class _Pages:
    def __init__(self, release: Release, target: Target) -> None:
        self.release = release
        self.target = target
        self.quirks = target.quirks
        self.types = _types(target)
        self.spelling = spelling(target)
        self.classes = class_names(release.definitions)
        self.spelled: dict[str, tuple[str, str | None]] = {}
        self.plain = cache(self.spell_plain)
        self.text = _quoted_cell if "backslash-quotes" in self.quirks else markdown.cell
        self.trimmed = (
            frozenset(self.spelling.mapped)
            if "trimmed-notes" in self.quirks
            else frozenset()
        )
        self.open_pipes = frozenset(
            target.quirks.get("open-pipes", {}).get("fields", ())
        )

    def files(self) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
        return {
            "definition": lambda: map(self.page_item, self.models()),
            "group-version": lambda: map(self.group_item, self.groups()),
            "release": lambda: [
                FileContext(self.release.name, {}, {"groups": list(self.groups())})
            ],
        }

    def finish(self) -> Mapping[str, Callable[[str], str]]:
        if "client-words" not in self.quirks:
            return {}
        package = str(self.target.options["package"])
        return {"definition": markdown.client_words(package)}

    def models(self) -> Iterator[Definition]:
        return (each for each in self.release.definitions.values() if each.is_object)

    def groups(self) -> Iterator[Group]:
        def key(definition: Definition) -> tuple[str, str]:
            return definition.group, definition.version

        ordered = sorted(self.models(), key=lambda each: (*key(each), each.kind))
        for (group, version), models in groupby(ordered, key):
            yield Group(
                group,
                version,
                tuple(Entry(self.classes[each.name], each.kind) for each in models),
            )

    def group_item(self, group: Group) -> FileContext:
        names = {"group": group.group, "version": group.version}
        return FileContext(f"{group.group}/{group.version}", names, {"group": group})

    def page_item(self, definition: Definition) -> FileContext:
        page = self.page(definition)
        names = {"name": page.name, "module": page.module}
        return FileContext(definition.name, names, {"model": page})

    def page(self, definition: Definition) -> ModelPage:
        name = self.classes[definition.name]
        return ModelPage(
            name=name,
            module=snake_case(name, self.spelling.acronyms),
            definition=definition.name,
            description=markdown.paragraph(self.quoted(definition.description)),
            fields=tuple(self.row(definition, field) for field in definition.fields),
        )

    def row(self, definition: Definition, field: Field) -> FieldRow:
        schema = field.schema
        spelled, link = self.type(schema)
        return FieldRow(
            self.spelling.attribute(field.name),
            spelled,
            link,
            self.description(definition, field),
            field.required,
            schema.raw.get("readOnly", False),
            _default(schema) if "default" in schema.raw else None,
            field.name in self.trimmed,
        )

    def description(self, definition: Definition, field: Field) -> str:
        schema = field.schema
        text = schema.description
        if schema.ref is not None:
            referred = self.release.resolve(schema)
            if referred.is_object and "silent-references" in self.quirks:
                return ""
            text = text or referred.description
        shown = self.text(text)
        if "|" in shown and f"{definition.name}#{field.name}" not in self.open_pipes:
            return markdown.escape_pipes(shown)
        return shown

    def quoted(self, text: str) -> str:
        quote = "backslash-quotes" in self.quirks
        return markdown.backslash_quotes(text) if quote else text

    def type(self, schema: Schema) -> tuple[str, str | None]:
        """The spelling of a type, and the page of the model in it."""
        if schema.ref is not None:
            known = self.spelled.get(schema.ref)
            if known is None:
                known = self.spelled[schema.ref] = self.referred(schema.ref)
            return known
        if schema.type == "array":
            return self.container("list", schema.items)
        if schema.values is not None:
            return self.container("map", schema.values)
        return self.plain(schema.type, schema.format)

    def referred(self, name: str) -> tuple[str, str | None]:
        definition = self.release.definitions[name]
        if definition.is_object:
            return self.classes[name], self.classes[name]
        return self.type(definition.schema)

    def container(self, kind: str, inside: Schema | None) -> tuple[str, str | None]:
        spelled, link = self.type(inside) if inside else (self.types["any"], None)
        return self.types[kind].replace("{}", spelled), link or None

    def spell_plain(self, kind: str | None, form: str | None) -> tuple[str, str | None]:
        known = self.types.get(f"{kind}:{form}")
        spelled = known or self.types.get(kind or "", self.types["any"])
        empty = spelled == self.types["any"] and "empty-links" in self.quirks
        return spelled, "" if empty else None


#: The accidents of published pages that this view can reproduce.
QUIRKS: Mapping[str, str] = {
    "backslash-quotes": "quotes and backslashes come with a backslash",
    "client-words": "words that begin with client are renamed",
    "empty-links": "a type that is not a model is linked to an empty name",
    "open-pipes": "pipes are not escaped in the listed fields",
    "silent-references": "a field that refers to a model has no description",
    "trimmed-notes": "no space after the note of a field with a mapped name",
}

_NEEDED_TYPES = ("any", "list", "map")


def _types(target: Target) -> Mapping[str, str]:
    for key in _NEEDED_TYPES:
        if not isinstance(target.types.get(key), str):
            raise target.error("is missing", f"types.{key}")
    return target.types


@cache
def _quoted_cell(text: str) -> str:
    return markdown.cell(markdown.backslash_quotes(text))


def _default(schema: Schema) -> str:
    return markdown.escape_pipes(markdown.cell(_literal(schema.default)))


def _literal(value: object) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return str(value)
