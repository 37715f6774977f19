"""The pages of one release: types, groups and versions, start page, search index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from kubestencil.diff.labels import coverage_of
from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Definition, Release
from kubestencil.schema.knowledge.coverage import Aspect
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.source.releases import is_prerelease
from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.targets.site import search_index
from kubestencil.targets.site.addresses import (
    PageAddress,
    page_address,
    page_addresses,
)
from kubestencil.targets.site.examples.field_code import (
    python_names_script,
    rust_names_script,
)
from kubestencil.targets.site.examples.field_examples import field_examples_script
from kubestencil.targets.site.examples.kinds import Example
from kubestencil.targets.site.examples.operations import Operations
from kubestencil.targets.site.listing import ApiVersion, api_groups, own_projects
from kubestencil.targets.site.navigation import (
    SHARED_VARIABLES,
    Link,
    Navigation,
    shared_variables,
    tree_data,
)
from kubestencil.targets.site.options import site_options
from kubestencil.targets.site.pages import start_page
from kubestencil.targets.site.pages.type_page import TypePage, TypePages, release_range
from kubestencil.targets.site.release_context import Availability, ReleaseContext

#: What this part generates, in the folder of its release.
EACH: Mapping[str, Each] = {
    "definition": Each(
        "a page for each type of a release",
        {"path": "the type's address: apps/v1/Deployment"},
        {
            "page": TypePage,
            "api_version": Annotated[ApiVersion, "the version that has the type"],
            **SHARED_VARIABLES,
        },
    ),
    "example": Each(
        "a page for each kind of a release, with examples that have all fields",
        {"path": "the kind's address: apps/v1/Deployment"},
        {
            "name": Annotated[str, "the kind"],
            "examples": tuple[Example, ...],
            **SHARED_VARIABLES,
        },
    ),
    "operations": Each(
        "a page for each kind of a release, with calls of its operations",
        {"path": "the kind's address: apps/v1/Deployment"},
        {
            "name": Annotated[str, "the kind"],
            "operations": Operations,
            **SHARED_VARIABLES,
        },
    ),
    "absent": Each(
        "a page for each type that only older releases have",
        {"path": "the type's address: apps/v1beta1/Deployment"},
        {
            "address": PageAddress,
            "available_in": Annotated[tuple[str, ...], "the releases that have it"],
            "release_range": Annotated[str, "the same for people: 1.33 to 1.35"],
            "replacements": Annotated[
                tuple[Link, ...], "types with the same name in this release"
            ],
            **SHARED_VARIABLES,
        },
    ),
    "listing": Each(
        "a page for each group of a release, for each version of a group, and for each "
        "project that has several groups",
        {"path": "the group, the group and the version, or the project: apps, apps/v1"},
        {
            "name": Annotated[
                str, "the group, the group and the version, or the project"
            ],
            "api_versions": Sequence[ApiVersion],
            "parent": Annotated[str, "the path from the page to the release's folder"],
            **SHARED_VARIABLES,
        },
    ),
    "release": Each(
        "the start page of a release",
        {},
        {**start_page.VARIABLES, **SHARED_VARIABLES},
    ),
    "search": Each(
        "the search index of a release, without a template: its names, and its "
        "descriptions",
        {"name": "search, or search-texts"},
    ),
    "navigation": Each("the groups and kinds of a release, without a template"),
    "names": Each(
        "names in a language, for the code of fields, without a template",
        {"language": "python, or rust"},
    ),
    "field-examples": Each(
        "what the example of each field has, without a template",
        {},
    ),
}


def make_contexts(
    release: Release, named: Release, context: ReleaseContext, target: Target
) -> Contexts:
    """The contexts of the files of one release; ``named`` is the same with names of inline
    objects, which code has."""
    options = site_options(target)
    pages = _ReleasePages(release, named, context, target, options.url)
    return Contexts(
        files={
            "definition": pages.types,
            "example": pages.examples,
            "operations": pages.operations,
            "absent": pages.absent_types,
            "listing": pages.listings,
            "release": pages.start,
            "search": pages.search_index,
            "navigation": pages.navigation_data,
            "names": pages.names,
            "field-examples": pages.field_examples,
        },
        shared_variables={
            **shared_variables(context.releases, options.logo_name),
            "release": release.name,
            "is_preview": is_prerelease(release.name),
            "caveats": coverage_of([release], _ASPECTS).sentences,
        },
    )


# The facts that the pages of a release show.
_ASPECTS: frozenset[Aspect] = frozenset(
    {
        *("fields", "gates", "limits", "defaults", "values", "immutable"),
        *("lifecycle", "configurations", "operations"),
    }
)


class _ReleasePages:
    """The contexts of the files, by what they are about."""

    def __init__(
        self,
        release: Release,
        named: Release,
        context: ReleaseContext,
        target: Target,
        site_url: str,
    ) -> None:
        self.release = release
        self._named = named
        self.context = context
        self._target = target
        self.availability = Availability(context.releases_by_type)
        self.type_pages = TypePages(release, named, context, self.availability, target)
        addresses, kinds = self.type_pages.addresses, self.type_pages.kinds
        self.groups = api_groups(release, addresses, kinds)
        # By the path of their pages.
        self.api_versions = {
            version.path: version for group in self.groups for version in group.versions
        }
        listed = {*self.api_versions, *(group.name for group in self.groups)}
        self.navigation = Navigation(
            release.name, context, self.availability, listed, site_url
        )

    def types(self) -> Iterator[FileContext]:
        for definition in self.release.definitions.values():
            page = self.type_pages.make(definition)
            variables = {
                "page": page,
                "api_version": self.api_versions[page.address.group_version],
                **self.navigation.page_variables(page.address.path),
            }
            yield FileContext(definition.name, {"path": page.address.path}, variables)

    def examples(self) -> Iterator[FileContext]:
        all_fields = self.type_pages.examples.all_fields
        return self._pages_of_kinds("all/", "examples", all_fields)

    def operations(self) -> Iterator[FileContext]:
        operations = self.type_pages.operations.of
        return self._pages_of_kinds("operations/", "operations", operations)

    def _pages_of_kinds(
        self, subpage: str, variable: str, value_of: Callable[[Definition], Any]
    ) -> Iterator[FileContext]:
        """A page at ``subpage`` of each kind, with the variable ``variable``."""
        for definition in self.release.definitions.values():
            if definition.name in self.type_pages.kinds:
                path = self.type_pages.addresses[definition.name].path
                variables = {
                    "name": definition.kind,
                    variable: value_of(definition),
                    **self.navigation.page_variables(path, subpage),
                }
                yield FileContext(definition.name, {"path": path}, variables)

    def absent_types(self) -> Iterator[FileContext]:
        """A page for each type that only older releases have, so that the address of
        a type leads somewhere in every later release."""
        for path, releases in self.context.releases_by_type.items():
            name = self.release.name
            if name not in releases and not self.context.is_added_later(path, name):
                replacements = self.availability.replacements(path, self.release.name)
                variables = {
                    "address": page_address(path),
                    "available_in": releases,
                    "release_range": release_range(releases),
                    "replacements": tuple(
                        Link(replacement, page_address(replacement).href)
                        for replacement in replacements
                    ),
                    **self.navigation.page_variables(path),
                }
                yield FileContext(path, {"path": path}, variables)

    def listings(self) -> Iterator[FileContext]:
        for project in own_projects(self.groups, built_in_groups()):
            if len(project.groups) > 1:
                versions = [
                    version for group in project.groups for version in group.versions
                ]
                yield self._listing(project.path, project.name, versions)
        for group in self.groups:
            yield self._listing(group.name, group.name, group.versions)
            for version in group.versions:
                yield self._listing(version.path, version.path, [version])

    def _listing(
        self, path: str, name: str, versions: Sequence[ApiVersion]
    ) -> FileContext:
        """The page of a group (``apps``), of one of its versions (``apps/v1``), or of a
        project."""
        variables = {
            "name": name,
            "api_versions": versions,
            "parent": "../" * len(path.split("/")),
            **self.navigation.page_variables(path),
        }
        return FileContext(path, {"path": path}, variables)

    def start(self) -> Iterator[FileContext]:
        variables = {
            **start_page.start_variables(
                self.release, self.context, self.groups, self.type_pages.addresses
            ),
            "prefix": "",
            "folders": (),
            "home": None,
            **self.navigation.page_variables(""),
        }
        yield FileContext(self.release.name, {}, variables)

    def search_index(self) -> Iterator[FileContext]:
        used_in = self.type_pages.usage.used_in
        scripts = search_index.release_index(
            self._named,
            page_addresses(self._named),
            self.type_pages.kinds,
            {name: len(uses) for name, uses in used_in.items()},
            {
                (path, change.path): change.release
                for path, changes in self.context.changes.items()
                for change in changes
                if change.event == "added"
            },
            self._starters(),
        )
        name = self.release.name
        yield FileContext(name, {"name": "search"}, {}, scripts.names)
        yield FileContext(name, {"name": "search-texts"}, {}, scripts.texts)

    def _starters(self) -> Mapping[str, str]:
        """The first manifest of each kind, by the full name of its definition."""
        return {
            definition.name: example.code
            for definition in self.type_pages.examples.kinds
            for example in self.type_pages.examples.starter(definition)
            if example.language == "yaml"
        }

    def names(self) -> Iterator[FileContext]:
        addresses = self.type_pages.addresses
        for language, script in (
            ("python", python_names_script(self._named, addresses, self._target)),
            ("rust", rust_names_script(self.release, addresses, self._target)),
        ):
            yield FileContext(self.release.name, {"language": language}, {}, script)

    def field_examples(self) -> Iterator[FileContext]:
        examples = FieldExamples(self._named, trees=self.type_pages.examples.trees)
        addresses = page_addresses(self._named)
        script = field_examples_script(self._named, addresses, examples)
        yield FileContext(self.release.name, {}, {}, script)

    def navigation_data(self) -> Iterator[FileContext]:
        yield FileContext(self.release.name, {}, {}, tree_data(self.groups))
