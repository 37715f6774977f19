"""Targets of programming languages: generated files in a folder, and objects with the
verdicts of a real API server, which their rules are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.model.values import LinkedDefinition, make_model
from kubestencil.validator.process import Validator
from tests.conftest import load
from tests.public_manifests import FOLDER, extract, verdicts
from tests.validators import built_validator
from tests.value_mutations import judged


class Case(NamedTuple):
    """An object of a kind with what a server says of it."""

    value: Any
    definition: LinkedDefinition
    is_accepted: bool


def generated(target: str, release: Release) -> dict[str, str]:
    """The files that a target generates for a release."""
    files = generate_files(release, load_targets(None)[target])
    return {file.path: file.data.decode() for file in files}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


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


def public_objects(release: str, folder: Path) -> list[Case]:
    """Public manifests with the verdicts of a real server; none without
    ``KUBESTENCIL_MANIFESTS``."""
    if FOLDER is None:
        return []
    rows = verdicts(release, 201, 400, 422)
    definitions = kinds(load(release))
    extract(folder)
    return [
        Case(item.value, definitions[name], rows[key]["status"] == 201)
        for path in sorted(path for path in folder.rglob("*") if path.is_file())
        for item in read_manifests(path.read_bytes(), str(path))
        if isinstance(item, Manifest)
        if (name := _name(item.value)) in definitions
        if (
            key := (
                path.relative_to(folder).as_posix(),
                item.subject.document,
                item.subject.item,
            )
        )
        in rows
    ]


def _name(value: Any) -> tuple[str, str]:
    return str(value.get("apiVersion")), str(value.get("kind"))
