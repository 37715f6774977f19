"""Makes the table of the definitions of all releases, a file of the wheel.

They are those of the package ``kubernetes-validate``, which has them for every minor
release from 1.25 on, at its first patch, converted to JSON Schema. Each step of the
conversion is reverted by a function here, and a step that has no effect is an error: a
newer version of the package may convert in another way.

Building the wheel runs this, and so does ``pip install -e .``, for a clone. The command
``python hatch_build.py`` does in a clone that is used without being installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "kubernetes-validate"
TABLE = "generator/kubestencil/_data/definitions.tsv"
CHANGELOG = "CHANGELOG.md"
_FOLDER = re.compile(r"v((\d+)\.(\d+))\.\d+-local\Z")
_STRING_TYPES: Mapping[str, Mapping[str, str]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": "string",
        "format": "int-or-string",
    },
}

Definitions = dict[str, Any]


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the table into the wheel, which Git ignores in the checkout, and what the
    changelog says of generated files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            write_table(Path(self.root))
            build_data["artifacts"].append(f"/{TABLE}")
        # An editable installation reads the file of the checkout.
        if self.target_name == "wheel" and version == "standard":
            self._folder = TemporaryDirectory()
            changelog = Path(self._folder.name) / CHANGELOG
            changelog.write_text(output_changes(Path(self.root) / CHANGELOG))
            build_data["force_include"][
                str(changelog)
            ] = f"kubestencil/_data/{CHANGELOG}"


def write_table(root: Path) -> None:
    """Write the table into the checkout at ``root``."""
    path = root / TABLE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(table().encode())


def output_changes(changelog: Path) -> str:
    """The lines of the changelog that may be about what targets generate: entries that
    begin with a name (kubestencil.project.changelog), and the headings of versions."""
    lines = changelog.read_text("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(("## ", "- `")))


def table() -> str:
    """A line for each release, oldest first, with its version, and one for each definition
    that differs: the places of the releases that have it among those lines, and the member
    of a JSON object that it is. An empty line is between the two."""
    releases: list[str] = []
    members: dict[tuple[str, str], list[str]] = {}
    for place, (release, folder) in enumerate(folders()):
        version = folder.name.removesuffix("-local")
        releases.append(f"{release}\t{PACKAGE}, {version}\n")
        for name, schema in published(folder / "_definitions.json").items():
            text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
            members.setdefault((name, text), []).append(str(place))
    lines = (
        f"{','.join(places)}\t{json.dumps(name)}:{text}\n"
        for (name, text), places in sorted(members.items())
    )
    return "".join([*releases, "\n", *lines])


def folders() -> Iterator[tuple[str, Path]]:
    """The folder of each release in the installed package, oldest release first."""
    spec = find_spec("kubernetes_validate")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{PACKAGE} is not installed: pip install {PACKAGE}")
    root = Path(spec.submodule_search_locations[0]) / "kubernetes-json-schema"
    matches = ((folder, _FOLDER.match(folder.name)) for folder in root.glob("v*-local"))
    found = {
        (int(match[2]), int(match[3])): (match[1], folder)
        for folder, match in matches
        if match
    }
    yield from (found[version] for version in sorted(found))


def published(path: Path) -> Definitions:
    """The definitions of a file of the package as Kubernetes publishes them."""
    definitions: Definitions = _revert_schema(json.loads(path.read_bytes())["$defs"])
    for step in _STEPS:
        if not step(definitions):
            raise SystemExit(
                f"{PACKAGE}: the correction {step.__name__} never applied: this version "
                "converts in another way; install an older one"
            )
    return definitions


def _revert_schema(schema: Any) -> Any:
    """A schema with ``"type": "T"`` for ``"type": ["T", "null"]``, and references to
    ``#/definitions/X`` for those to ``#/$defs/X``."""
    if isinstance(schema, dict):
        result = {key: _revert_schema(value) for key, value in schema.items()}
        type_, reference = schema.get("type"), schema.get("$ref")
        if isinstance(type_, list) and type_[1:] == ["null"]:
            result["type"] = type_[0]
        if isinstance(reference, str):
            result["$ref"] = reference.replace("#/$defs/", "#/definitions/", 1)
        return result
    return [*map(_revert_schema, schema)] if isinstance(schema, list) else schema


def _revert_kind_enums(definitions: Definitions) -> bool:
    """Remove the ``enum`` of ``apiVersion`` and ``kind``, which has the served kinds."""
    changed = False
    for definition in definitions.values():
        kinds = definition.get("x-kubernetes-group-version-kind", ())
        properties = definition.get("properties", {})
        for name, served in (
            ("apiVersion", {_api_version(kind) for kind in kinds}),
            ("kind", {kind["kind"] for kind in kinds}),
        ):
            schema = properties.get(name)
            if schema and served and set(schema.get("enum", ())) == served:
                del schema["enum"]
                changed = True
    return changed


def _revert_types(definitions: Definitions) -> bool:
    """Make Quantity and IntOrString the strings that they are published as; their
    descriptions are not in the package."""
    for name, original in _STRING_TYPES.items():
        if "oneOf" not in definitions.get(name, {}):
            return False
        definitions[name] = dict(original)
    return True


_STEPS: tuple[Callable[[Definitions], bool], ...] = (
    _revert_kind_enums,
    _revert_types,
)


def _api_version(kind: Mapping[str, str]) -> str:
    return f"{kind['group']}/{kind['version']}" if kind["group"] else kind["version"]


if __name__ == "__main__":
    write_table(Path(__file__).parent)
