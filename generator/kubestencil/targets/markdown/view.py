"""The view ``markdown``: a page per model and API class, as openapi-generator has them.

Names are those of the Python clients, texts are Markdown. In ``target.toml``,
``[spelling]`` has the keys ``acronyms``, ``reserved_prefix`` and ``mapped`` of
``kubestencil.targets.languages.python.spelling.Spelling``. ``[types]`` has the names of types:
``any``, ``list`` and ``map`` (with ``{}`` for the inner type), and one for each JSON
type, or ``type:format``, that differs from ``any``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.file_names import portable
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.documents.authentication import (
    Authentication,
    authentication_of,
)
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.languages.python.spelling import (
    class_names,
    read_spelling,
    snake_case,
)
from kubestencil.targets.markdown.apis import ApiPage, ApiPages
from kubestencil.targets.markdown.inline_models import VERSIONS
from kubestencil.targets.markdown.models import published_models
from kubestencil.targets.markdown.quirks import (
    QUIRKS,
    backslash_quotes,
    client_words,
    corrected,
)
from kubestencil.targets.markdown.types import TypeNames
from kubestencil.text import markdown

__all__ = ["EACH", "QUIRKS", "make_contexts"]


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """The options of the view: the Python package of the client, whether its API classes
    have pages, and whether the fixup ``literal-descriptions`` is for built-in types,
    too."""

    package: str = ""
    apis: bool = True
    literal_descriptions: bool = False


# Tuples, since a run makes some twenty thousand rows, and a frozen dataclass takes
# four times as long to make.
class ModelField(NamedTuple):
    """A field in the table of a page; all texts are escaped for a table cell.

    ``name`` is the attribute, ``type`` the name of its type. ``link`` is the model
    whose page the type links to, or None. ``default`` is the default value, None
    without one. ``trimmed`` says that no space follows the field's note (the quirk
    ``trimmed-notes``).
    """

    name: str
    type: str
    link: str | None
    description: str
    required: bool
    read_only: bool
    default: str | None
    trimmed: bool


class ModelPage(NamedTuple):
    """The page of a definition that has fields.

    ``name`` and ``module`` are the class and its module in the client, ``definition``
    is the full name in the document, ``description`` a Markdown paragraph.
    """

    name: str
    module: str
    definition: str
    description: str
    fields: tuple[ModelField, ...]


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model in a list: its class, and what Kubernetes calls it."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """The models of one group and version, sorted by kind.

    ``group`` and ``version`` are those in the names of the definitions (``core``,
    ``v1``); ``version`` is empty for types without one.
    """

    group: str
    version: str
    models: tuple[ModelEntry, ...]


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "definition": Each(
        "a definition that has fields: the page of a model",
        placeholders={
            "name": "the class, such as V1Pod",
            "module": "the module of the class, such as v1_pod",
        },
        variables={"model": ModelPage},
    ),
    "group-version": Each(
        "the models of one group and version",
        placeholders={
            "group": "the group, such as apps",
            "version": "the version, such as v1",
        },
        variables={"group": ModelGroup},
    ),
    "release": Each(
        "all models of the release, once",
        variables={
            "groups": list[ModelGroup],
            "apis": list[ApiPage],
            "authentication": Authentication,
        },
    ),
    "api": Each(
        "the operations with one tag: the page of an API class; none if the option "
        "apis is false",
        placeholders={"name": "the class, such as CoreV1Api"},
        variables={
            "api": ApiPage,
            "authentication": Authentication,
            "package": Annotated[str, "the package of the API classes"],
        },
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the pages of a release.

    Raises SpecError where two definitions get the same class, TargetError for a
    mistake in the target's spelling or types.
    """
    pages = _Pages(release, target)
    return Contexts(
        files={
            "definition": lambda: map(pages.definition_context, pages.models()),
            "group-version": lambda: map(_group_context, pages.groups()),
            "release": lambda: [
                FileContext(
                    release.name,
                    {},
                    {
                        "groups": list(pages.groups()),
                        "apis": pages.apis,
                        "authentication": pages.authentication,
                    },
                )
            ],
            "api": lambda: map(pages.api_context, pages.apis),
        },
        post_process=_post_process(target),
    )


def _models(release: Release, target: Target) -> tuple[Release, Mapping[str, str]]:
    """The release whose definitions are the models, and the class of each.

    Raises TargetError where the quirk ``inline-models`` names no version.
    """
    quirk = target.quirks.get("inline-models")
    if quirk is None:
        return release, class_names(release.definitions)
    version = quirk.get("version")
    if version not in VERSIONS:
        raise target.error(
            f"unknown version {version!r}: available: {', '.join(VERSIONS)}",
            "quirks.inline-models.version",
        )
    return published_models(release, version)


def _post_process(target: Target) -> Mapping[str, Callable[[str], str]]:
    if "client-words" not in target.quirks:
        return {}
    replace_words = client_words(read_options(target, MarkdownOptions).package)
    return {"definition": replace_words, "api": replace_words}


def _group_context(group: ModelGroup) -> FileContext:
    placeholders = {"group": group.group, "version": group.version}
    return FileContext("/".join(placeholders.values()), placeholders, {"group": group})


class _Pages:
    """Makes the pages of a release for a target."""

    def __init__(self, release: Release, target: Target) -> None:
        quirks, self._target = target.quirks, target
        release, classes = _models(release, target)
        # Links lead to the page of a class, whose file has its name.
        self._classes = {name: portable(class_) for name, class_ in classes.items()}
        self._release = release
        self._spelling = read_spelling(target)
        self._types = TypeNames(release.definitions, self._classes, target)
        self._describes_references = "silent-references" not in quirks
        self._trimmed = frozenset(
            self._spelling.mapped if "trimmed-notes" in quirks else ()
        )
        open_pipes = quirks.get("open-pipes", {})
        self._open_pipes = frozenset(open_pipes.get("fields", ()))
        self._opens_custom_pipes = bool(open_pipes.get("custom_resources", False))
        escapes_quotes = "backslash-quotes" in quirks
        self._escape_quotes: Callable[[str], str] = (
            backslash_quotes if escapes_quotes else str
        )
        # Replaced with the other words that begin with client.
        options = read_options(target, MarkdownOptions)
        package = f"{options.package}.client".lstrip(".")
        self._is_fixed = "literal-descriptions" in target.fixups
        self._fixes_all = options.literal_descriptions
        self._client_package = "client" if "client-words" in quirks else package
        self._has_apis = options.apis

    def models(self) -> Iterator[Definition]:
        """The definitions that have a page, in the order of the document; the last
        one of each class."""
        by_class = {
            self._classes[definition.name]: definition
            for definition in self._release.definitions.values()
            if definition.is_object
        }
        return iter(by_class.values())

    def groups(self) -> Iterator[ModelGroup]:
        """The models by group and version, sorted."""
        models = sorted(self.models(), key=lambda model: (*_key(model), model.kind))
        for (group, version), members in groupby(models, _key):
            entries = (
                ModelEntry(self._classes[model.name], model.kind) for model in members
            )
            yield ModelGroup(group, version, tuple(entries))

    def definition_context(self, definition: Definition) -> FileContext:
        """The context of the page of a definition."""
        page = self._page(definition)
        placeholders = {"name": page.name, "module": page.module}
        return FileContext(definition.name, placeholders, {"model": page})

    @cached_property
    def authentication(self) -> Authentication:
        """How a client proves who it is."""
        return authentication_of(self._release)

    @cached_property
    def apis(self) -> list[ApiPage]:
        """The pages of the API classes, sorted by tag."""
        if not self._has_apis:
            return []
        quirks = self._target.quirks
        pages = ApiPages(
            self._types,
            self._spelling,
            self._escape_quotes,
            self._classes.values(),
            quirks.get("open-pipes", {}).get("parameters", ()),
        )
        operations = operation_details(self._release)
        return pages.pages(corrected(details, quirks) for details in operations)

    def api_context(self, api: ApiPage) -> FileContext:
        """The context of the page of an API class."""
        variables = {
            "api": api,
            "authentication": self.authentication,
            "package": self._client_package,
        }
        return FileContext(api.name, {"name": api.name}, variables)

    def _page(self, definition: Definition) -> ModelPage:
        name = self._classes[definition.name]
        return ModelPage(
            name=name,
            module=snake_case(name, self._spelling.acronyms),
            definition=definition.name,
            description=(
                markdown.page_text(definition.description)
                if self._is_literal(definition)
                else markdown.paragraph(self._escape_quotes(definition.description))
            ),
            fields=tuple(self._row(definition, field) for field in definition.fields),
        )

    def _row(self, definition: Definition, field: Field) -> ModelField:
        schema = field.schema
        type_name, link = self._types.name(schema)
        return ModelField(
            self._spelling.attribute(field.name),
            type_name,
            link,
            self._description(definition, field),
            field.required,
            schema.read_only,
            self._default(definition, schema) if schema.has_default else None,
            field.name in self._trimmed,
        )

    def _description(self, definition: Definition, field: Field) -> str:
        text = field.schema.description
        if field.schema.ref is not None:
            resolved = self._release.resolve(field.schema)
            if resolved.is_object and not self._describes_references:
                return ""
            text = text or resolved.description
        if self._is_literal(definition):
            return markdown.page_text(text)
        cell = markdown.cell(self._escape_quotes(text))
        if "|" in cell and not self._has_open_pipes(definition, field):
            return markdown.escape_pipes(cell)
        return cell

    def _default(self, definition: Definition, schema: Schema) -> str:
        value = schema.default
        text = f"'{value}'" if isinstance(value, str) else str(value)
        if self._is_literal(definition):
            return markdown.page_text(text)
        return markdown.escape_pipes(markdown.cell(text))

    def _is_literal(self, definition: Definition) -> bool:
        return self._is_fixed and (self._fixes_all or not is_built_in(definition.name))

    def _has_open_pipes(self, definition: Definition, field: Field) -> bool:
        if not is_built_in(definition.name):
            return self._opens_custom_pipes
        return f"{definition.name}#{field.name}" in self._open_pipes


def _key(definition: Definition) -> tuple[str, str]:
    return definition.group_label, definition.version
