"""A release to check objects against: its kinds, and the checks of their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubestencil.checking.decoding.configurations import inner_configurations
from kubestencil.checking.decoding.decode import Decoder
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Path, link_of
from kubestencil.checking.rules import RULES
from kubestencil.checking.values.definitions import definition_problems
from kubestencil.checking.values.places import PlaceChecks
from kubestencil.checking.values.relations import related_problems
from kubestencil.schema.knowledge.conditions import combinations
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.schema.lazy import LazyDefinitions, with_gitops_kinds
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from kubestencil.validator.process import Validator


@dataclass(frozen=True, slots=True)
class CheckedRelease:
    """A release with its kinds by group, version and kind, and their checks.

    ``kinds`` has the names of definitions, also of the kinds of Flux and Argo CD, which it
    does not serve. ``places`` checks what holds in one kind only.
    ``validator`` runs the code of the release's API server, where that was built.
    """

    release: Release
    kinds: Mapping[GroupVersionKind, str]
    decoder: Decoder
    _versions: Mapping[tuple[str, str], tuple[str, ...]]
    places: PlaceChecks
    validator: Validator | None = None

    @property
    def name(self) -> str:
        """The name of the release: 1.35."""
        return self.release.name

    def fields_of(self, kind: GroupVersionKind) -> frozenset[str]:
        """The names of the fields of a kind; none of one that the release lacks."""
        definition = self.kinds.get(kind)
        fields = self.release.definitions[definition].fields if definition else ()
        return frozenset(field.name for field in fields)

    def examine(
        self, value: Mapping[str, Any], kind: GroupVersionKind
    ) -> Results | None:
        """The problems of an object as it is decoded, and those of its values, without
        asking the API server's code; None for a kind that the release does not serve.
        """
        definition = self.kinds.get(kind)
        if definition is None:
            return None
        results = Results()
        self.decoder.check_of(definition)(value, ("", None), results)
        for path, inner, inner_kind in inner_configurations(value, kind):
            if inner is not None and inner_kind in self.kinds:
                check = self.decoder.check_of(self.kinds[inner_kind])
                check(inner, link_of(path), results)
        if kind.group in built_in_groups():
            self.places.check(value, kind, results)
            results.values.extend(related_problems(value, kind))
            # What is missing would be said twice.
            if not (results.problems or results.values):
                results.values.extend(definition_problems(value, kind))
        elif kind in self.release.custom_kinds:
            self.places.check(value, kind, results)
        elif not self.serves(kind):
            results.problems[:] = map(_of_older_types, results.problems)
        return results

    def errors_in(
        self, value: Any, path: Path, schema: Schema
    ) -> frozenset[tuple[str, Path]]:
        """The rules and paths of the errors of a part of an object, which is at a path;
        what a server drops without a word counts as one."""
        results = Results()
        self.decoder.check_of_schema(schema)(value, link_of(path), results)
        return frozenset(
            (problem.rule, problem.path)
            for problem in (*results.problems, *results.values)
            if RULES[problem.rule].severity == "error"
            or problem.rule == "dropped-field"
        )

    def serves(self, kind: GroupVersionKind) -> bool:
        """Whether the release has a kind, and not only a check of it."""
        return kind.version in self.versions(kind.group, kind.kind)

    def versions(self, group: str, kind: str) -> tuple[str, ...]:
        """The versions that the release serves of a kind."""
        return self._versions.get((group, kind), ())


def _of_older_types(problem: Problem) -> Problem:
    """The problem of an object of Flux or Argo CD, whose newer releases add fields."""
    if problem.rule != "unknown-field":
        return problem
    newer = "if a newer release has it, name its CustomResourceDefinitions: --crds"
    return problem._replace(message=f"{problem.message} ({newer})")


def prepare(release: Release, validator: Validator | None = None) -> CheckedRelease:
    """A release with its checks, which are compiled when they are needed."""
    own = dict(_kinds(release))
    release = with_gitops_kinds(release, own)
    kinds = dict(_kinds(release))
    versions: dict[tuple[str, str], tuple[str, ...]] = {}
    for kind in own:
        key = kind.group, kind.kind
        versions[key] = (*versions.get(key, ()), kind.version)
    decoder = Decoder(release.definitions, release.name, combinations(release.name))
    return CheckedRelease(
        release, kinds, decoder, versions, PlaceChecks(release.name), validator
    )


def _kinds(release: Release) -> Iterator[tuple[GroupVersionKind, str]]:
    definitions = release.definitions
    if isinstance(definitions, LazyDefinitions):
        yield from definitions.kinds()
        return
    for name, definition in definitions.items():
        if len(definition.kinds) == 1:
            yield definition.kinds[0], name
