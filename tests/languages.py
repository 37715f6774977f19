"""Targets of programming languages: generated files in a folder, and objects with the
verdicts of a real API server, which their rules are compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.model.linked import LinkedDefinition, LinkedSchema
from kubestencil.targets.model.values import (
    make_model,
)
from kubestencil.text.languages import quote
from kubestencil.validator.process import Validator
from tests.conftest import load
from tests.public_manifests import FOLDER, objects, verdicts
from tests.validators import built_validator
from tests.value_mutations import judged

#: The value of an expression of Pkl: what is wrong with an object, or null. Values of
#: objects are checked when they are needed.
PKL_CATCH = "test.catchOrNull(() -> new JsonRenderer {{}}.renderDocument({}))"


class Case(NamedTuple):
    """An object of a kind with what a server says of it."""

    value: Any
    definition: LinkedDefinition
    is_accepted: bool


def generated(
    target: str, release: Release, options: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The files that a target generates for a release."""
    chosen = load_targets(None)[target].with_options(options or {})
    files = generate_files(release, chosen)
    return {file.path: file.data.decode() for file in files}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def pkl_object(
    alias: str, definition: LinkedDefinition, value: Mapping[str, Any]
) -> str:
    """An object of a class of the target ``pkl`` in a module that is imported as
    ``alias``."""
    fields: dict[str, LinkedSchema] = {item.name: item for item in definition.fields}
    if definition.served_kind:
        # Its class has any object there, since the API server drops it.
        fields.pop("status", None)
    members = "; ".join(
        f"`{key}` = {_pkl_value(value[key], fields.get(key))}" for key in value
    )
    return f"new {alias}.{definition.kind} {{ {members} }}"


def _pkl_value(value: Any, schema: LinkedSchema | None) -> str:
    if schema and schema.reference:
        schema = schema.reference
    if isinstance(value, dict):
        if schema and schema.fields and is_pkl_class(schema, value):
            fields = {item.name: item for item in schema.fields}
            return _pkl_members(
                f"`{key}` = {_pkl_value(value[key], fields.get(key))}" for key in value
            )
        is_class = schema is not None and bool(schema.fields)
        values = schema.values if schema and not is_class else None
        return _pkl_members(
            (
                f"[{quote(key, 'pkl')}] = {_pkl_value(value[key], values)}"
                for key in value
            ),
            "" if values else "Mapping ",
        )
    if isinstance(value, list):
        items = schema.items if schema else None
        return _pkl_members(
            (_pkl_value(item, items) for item in value), "" if items else "Listing "
        )
    return quote(value, "pkl") if isinstance(value, str) else json.dumps(value)


def is_pkl_class(schema: LinkedSchema, value: Mapping[str, Any]) -> bool:
    """Whether a class of Pkl can have the fields of an object: they are its own, and
    their names are names in Pkl."""
    names = {field.name for field in schema.fields}
    return names >= value.keys() and not any(set(name) & set("`\n\r") for name in value)


def _pkl_members(members: Iterable[str], type_name: str = "") -> str:
    return f"new {type_name}{{ {'; '.join(members)} }}"


def kcl_value(value: Any) -> str:
    """A JSON value in KCL, where ``${`` begins an expression in a string."""
    if isinstance(value, dict):
        items = (f"{quote(key, 'kcl')}: {kcl_value(value[key])}" for key in value)
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(kcl_value, value))}]"
    return quote(value, "kcl") if isinstance(value, str) else repr(value)


def kinds(release: Release) -> dict[tuple[str, str], LinkedDefinition]:
    """The definitions of kinds by apiVersion and kind."""
    return {
        (kind.api_version, kind.kind): definition
        for definition in make_model(release).definitions
        if (kind := definition.served_kind) is not None
    }


def mistaken_objects(release: str, count: int) -> list[Case]:
    """Seeded mistakes in accepted objects, with the verdict of the server's code."""
    definitions = kinds(load(release))
    with Validator(built_validator(release)) as validator:
        cases = list(judged(load(release), validator, count))
    return [
        Case(value, definitions[name], case.answer.accepted)
        for case in cases
        if (name := _name(value := case.mistake.value)) in definitions
    ]


def public_objects(release: str) -> list[Case]:
    """Public manifests with the verdicts of a real server; none without
    ``KUBESTENCIL_MANIFESTS``."""
    if FOLDER is None:
        return []
    rows = verdicts(release, 201, 400, 422)
    definitions = kinds(load(release))
    return [
        Case(value, definitions[name], rows[key]["status"] == 201)
        for key, value in objects()
        if key in rows and (name := _name(value)) in definitions
    ]


def _name(value: Any) -> tuple[str, str]:
    return str(value.get("apiVersion")), str(value.get("kind"))
