"""What the wheel contains."""

from __future__ import annotations

import tomllib

from tests.conftest import ROOT


def test_the_wheel_has_every_table_of_facts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    tables = {f"specs/{path.name}" for path in (ROOT / "specs").glob("*.tsv")}
    assert tables
    assert tables <= included.keys()
