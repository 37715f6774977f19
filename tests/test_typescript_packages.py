"""Types of other packages of npm, which programs have objects of, and those of the target
``typescript``: where both are right, a value of one is a value of the other."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Definition, Release
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.targets import generate_files
from kubestencil.targets.languages.modules import module_names
from tests.conftest import load
from tests.test_typescript import Compiler


class Pair(NamedTuple):
    """A type of ours and one of theirs, for a definition."""

    definition: Definition
    ours: str
    theirs: str


def types_of(release: Release) -> Iterator[tuple[Definition, str, str, str]]:
    """Definitions, each with the first part of its group, its version, and our type."""
    for name, (group, version) in module_names(release.definitions).items():
        definition = release.definitions[name]
        module = f"kubernetes-api-types/{group}/{version}"
        ours = f'import("{module}").{definition.kind}'
        yield definition, group.partition(".")[0], version, ours


def pairs_of_client_node(release: Release, package: Path) -> Iterator[Pair]:
    """@kubernetes/client-node: V1Pod; CoreV1Event where several groups have the name."""
    text = (package / "dist" / "gen" / "models" / "all.d.ts").read_text()
    theirs = set(re.findall(r"models/(\w+)\.js", text))
    for definition, group, version, ours in types_of(release):
        name = f"{version.capitalize()}{definition.kind}"
        for model in theirs & {name, f"{group.capitalize()}{name}"}:
            yield Pair(definition, ours, f'import("@kubernetes/client-node").{model}')


def pairs_of_fluent_client(release: Release, package: Path) -> Iterator[Pair]:
    """kubernetes-fluent-client: kind.Pod, which is V1Pod of another package."""
    text = (package / "dist" / "upstream.d.ts").read_text()
    theirs = dict(re.findall(r"(\w+) as (\w+)", text))
    for definition, group, version, ours in types_of(release):
        name = f"{version.capitalize()}{definition.kind}"
        for model in theirs.keys() & {name, f"{group.capitalize()}{name}"}:
            kind = f'import("kubernetes-fluent-client").kind.{theirs[model]}'
            yield Pair(definition, ours, kind)


def pairs_of_kubernetes_types(release: Release, package: Path) -> Iterator[Pair]:
    """kubernetes-types: a module for each group and version, as ours."""
    for definition, group, version, ours in types_of(release):
        module = package / group / f"{version}.d.ts"
        declared = rf"^export (interface|type) {definition.kind}\b"
        if module.is_file() and re.search(declared, module.read_text(), re.MULTILINE):
            theirs = f'import("kubernetes-types/{group}/{version}").{definition.kind}'
            yield Pair(definition, ours, theirs)


class Package(NamedTuple):
    """A package: the release whose document it was made from, its type of dates, and
    how many types at least are compared. Of ``too_wide`` it has types with too many
    values, of ``too_narrow`` with too few."""

    release: str
    dates: str
    pairs: Callable[[Release, Path], Iterator[Pair]]
    least: int
    too_wide: frozenset[str] = frozenset()
    too_narrow: frozenset[str] = frozenset()


PACKAGES = {
    "@kubernetes/client-node": Package("1.36", "Date", pairs_of_client_node, 740),
    "kubernetes-fluent-client": Package("1.34", "Date", pairs_of_fluent_client, 45),
    "kubernetes-types": Package(
        "1.30",
        "string",
        pairs_of_kubernetes_types,
        600,
        # Interfaces without fields, and one whose required field may be left out.
        too_wide=frozenset(
            [
                "CustomResourceSubresourceStatus", "FieldsV1", "Patch", "RawExtension",
                "ResourceRule",
            ]
        ),
        # Interfaces of what can be a list, a string or a boolean.
        too_narrow=frozenset(
            [
                "JSON", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool",
                "JSONSchemaPropsOrStringArray",
            ]
        ),
    ),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.compiler("tsc")
@pytest.mark.parametrize("name", PACKAGES)
def test_types_are_assignable_both_ways(tmp_path: Path, name: str) -> None:
    """Kinds of theirs lack ``kind``, which their function adds; a list of theirs has
    such items."""
    tsc = shutil.which("tsc")
    assert tsc is not None
    installed = Path(tsc).resolve().parents[2]
    if not (installed / name).is_dir():
        pytest.skip(f"{name} is not installed beside tsc")
    package = PACKAGES[name]
    release = load(package.release)
    options = {"dates": package.dates, "quantities": "string", "server_facts": "false"}
    target = load_targets(None)["typescript"].with_options(options)
    files = {file.path: file.data.decode() for file in generate_files(release, target)}
    compiler = Compiler(tmp_path, files)
    for entry in installed.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / "node_modules" / entry.name).symlink_to(entry)
    graph = reference_graph(release.definitions)
    definitions = release.definitions
    kinds = {name for name, found in definitions.items() if len(found.kinds) == 1}
    functions = []
    pairs = list(package.pairs(release, installed / name))
    for definition, ours, theirs in pairs:
        within = reachable(graph, graph[definition.name])
        named = {part.rpartition(".")[2] for part in {definition.name, *within}}
        if named.isdisjoint(package.too_narrow):
            functions.append(f"(value: {ours}): {theirs} => value")
        if kinds.isdisjoint(within) and named.isdisjoint(package.too_wide):
            made = f"make: typeof {ours}, " if definition.name in kinds else ""
            value = "make(value)" if made else "value"
            functions.append(f"({made}value: {theirs}): {ours} => {value}")
    assert len(pairs) > package.least
    assert len(functions) > 1.6 * len(pairs)
    program = (f"export const f{n} = {text};\n" for n, text in enumerate(functions))
    assert compiler.errors("".join(program), "--skipLibCheck") == ""
