"""kubestencil example: an object of a kind that the API server accepts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.documents import find_compared
from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    complete_kind,
    document_options,
    file_option,
    quiet_option,
    text,
)
from kubestencil.engine import load_targets
from kubestencil.errors import SpecError, UsageError, nearest
from kubestencil.schema.field_paths import fields_along, newest_definition
from kubestencil.schema.load import load_release
from kubestencil.schema.lookup import find_types
from kubestencil.source.find import DocumentOptions
from kubestencil.source.releases import newest_release
from kubestencil.targets import release_for
from kubestencil.targets.examples.starters import MisfitError
from kubestencil.targets.examples.yaml import YamlWriter
from kubestencil.targets.field_examples.explanations import (
    REQUEST_NOTE,
    STATUS_NOTE,
    explanation,
    gate_note,
    is_request,
    needed_gates,
)
from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.targets.site.examples.kinds import language_writers

if TYPE_CHECKING:
    from kubestencil.schema import Definition, Release
    from kubestencil.targets.examples.objects import Object

_YAML = "yaml"


@click.command(
    cls=DocumentedCommand,
    examples=(
        ("kubestencil example deploy", "A Deployment to begin with"),
        (
            "kubestencil example pod.spec.containers.livenessProbe.grpc",
            "A Pod with a field, and all that the field needs",
        ),
        (
            "kubestencil example hpa.spec.behavior --language python",
            "The same in another language",
        ),
        (
            "kubestencil example certificate.spec.keystores --crds crds/",
            "A custom resource",
        ),
    ),
)
@click.argument("query", metavar="KIND[.PATH]", shell_complete=complete_kind)
@text(
    "--spec",
    "RELEASE|FILE|URL",
    "Release, or OpenAPI spec.  [default: the newest supported release]",
)
@document_options
@text(
    "--language",
    "NAME",
    "Language of the object: yaml, python, jsonnet, rust or typescript.",
    default=_YAML,
    show_default=True,
)
@file_option
@quiet_option
def example(
    query: str,
    spec: str | None,
    specs: Path | None,
    crds: tuple[str, ...],
    unserved: bool,
    language: str,
    file: Path | None,
    quiet: bool,
) -> None:
    """Print an object that the API server accepts, with a field in it.

    KIND is a kind, also with its group or API version (apps/v1/Deployment), or a
    resource as kubectl names it (deploy). PATH is the path of a field in it
    (spec.replicas): the object has it with a value that is accepted, with what it needs,
    and without what it excludes. Where the field needs a feature gate, or is written
    through a subresource, standard error says so.
    """
    options = DocumentOptions(specs, crds, unserved)
    (document,) = find_compared([spec or newest_release()], options)
    release = load_release(document.source)
    console.announce_sources([document.source], quiet)
    definition, path = _named(release, query)
    examples = FieldExamples(release)
    value = examples.example(definition, path) if path else examples.starter(definition)
    reason = explanation(release, definition, path) if path else ""
    if value is None or reason:
        raise UsageError(
            f"has no example: {reason or 'no value of it is known'}", where=query
        )
    try:
        examples.trees.starters.check(definition.schema, value)
    except MisfitError as error:
        raise UsageError(
            "has no example: a field that it requires has no finite value", where=query
        ) from error
    console.write_result(_written(release, definition, value, language), file)
    if not quiet:
        for note in _notes(release, definition, path):
            console.warn(note)


def _named(release: Release, query: str) -> tuple[Definition, str]:
    """The definition of the kind that a query names, and the path in it. Raises UsageError
    for a kind or a field that there is not."""
    match, *_ = find_types([release], query)
    definition = newest_definition(match, release)
    if definition is None or definition.served_kind is None:
        raise UsageError(
            "is part of other kinds, and no kind itself",
            where=match.kind,
            hint="name a kind and the path of a field: pod.spec.containers",
        )
    path = match.field_path or ""
    along = [*fields_along(definition, release, path)]
    known = along[-1].path if along else ""
    if known != path:
        inner = along[-1].field.schema.innermost() if along else definition.schema
        schema = release.resolve(inner)
        missing = path[len(known) :].lstrip(".").partition(".")[0]
        raise UsageError(
            f"has no field {missing!r}",
            where=f"{definition.kind}.{known}".rstrip("."),
            hint=nearest(missing, schema.field_names),
        )
    return definition, path


def _written(
    release: Release, definition: Definition, value: Object, language: str
) -> str:
    """An object in a language. Raises UsageError for one that there is not, and for one
    that cannot have the object."""
    if language == _YAML:
        return YamlWriter().write(definition, value)
    writers = {
        target.name: (target, make)
        for target, make in language_writers(load_targets(None)["site"])
    }
    if language not in writers:
        names = [_YAML, *writers]
        raise UsageError(
            f"no examples in {language!r}",
            where="--language",
            hint=nearest(language, names) or f"available: {', '.join(names)}",
        )
    target, make = writers[language]
    try:
        code = make(release_for(target, release), target).write(definition, value)
    except SpecError as error:
        raise UsageError(str(error), where=f"--language {language}") from error
    if not code:
        raise UsageError(
            "its library cannot make this object", where=f"--language {language}"
        )
    return code


def _notes(release: Release, definition: Definition, path: str) -> list[str]:
    """What a server needs for the field to be kept."""
    notes = [*map(gate_note, needed_gates(release, definition, path))]
    if path.partition(".")[0] == "status":
        notes.append(STATUS_NOTE)
    if is_request(release, definition):
        notes.append(REQUEST_NOTE)
    return notes
