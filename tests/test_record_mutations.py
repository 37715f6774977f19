"""A record of an earlier run can be anybody's: with any of its fields changed, a run ends
well, and touches nothing outside of its tree and nothing in it that it did not write.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubestencil.build import record
from kubestencil.errors import KubestencilError
from tests.conftest import read_files
from tests.test_output import write

SEED = 32
COUNT = 100

#: In the place of any value, also in keys where it is a text.
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, 1.5, float("inf"), "", "a", "../victim", "/etc/passwd",
    "../../victim", "..", ".", "a/../../../victim", "a\\b", "C:\\x", "con", "a\0b",
    "\ud800", "x" * 5000, "theirs", "d", "d/", "//", [], {}, [[]], {"a": {}},
    ["0" * 64, 1, 1], "0" * 64, ["theirs"], {"../../victim": ["0" * 64, 1, 1]},
)  # fmt: skip


def mutations(value: Any, chance: random.Random) -> Iterator[Any]:
    """Values that differ from one in one place, for ever."""
    while True:
        copy = json.loads(json.dumps(value))
        parents = list(containers(copy))
        parent = chance.choice(parents)
        if isinstance(parent, dict):
            key = chance.choice(list(parent) or ["format"])
            if chance.random() < 0.4:
                name = chance.choice([item for item in VALUES if type(item) is str])
                parent[name] = parent.pop(key, None)
            else:
                parent[key] = chance.choice(VALUES)
        elif parent:
            parent[chance.randrange(len(parent))] = chance.choice(VALUES)
        yield copy


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@pytest.mark.parametrize("is_pending", [False, True])
def test_a_changed_record_harms_nothing(tmp_path: Path, is_pending: bool) -> None:
    chance = random.Random(SEED)
    (tmp_path / "victim").write_bytes(b"v")
    out = tmp_path / "out"
    write(out, {"a": b"1", "d/b": b"2", "old": b"3"})
    (out / "victim").write_bytes(b"v")
    (out / "1.0/t/theirs").write_bytes(b"t")
    path = record.record_path(out, "1.0/t")
    original = json.loads(path.read_bytes())
    if is_pending:
        original["pending"] = {"a": original["files"]["a"][0]}
    refused = 0
    for _, changed in zip(range(COUNT), mutations(original, chance), strict=False):
        path.write_text(json.dumps(changed))
        data = str(chance.random()).encode()
        try:
            write(out, {"a": data, "d/b": b"2"})
        except KubestencilError:
            refused += 1
            write(out, {"a": data, "d/b": b"2"}, overwrite=True)
        assert read_files(tmp_path / "out/1.0/t").keys() >= {"a", "d/b", "theirs"}
        assert (out / "1.0/t/a").read_bytes() == data
        assert (out / "1.0/t/theirs").read_bytes() == b"t"
        assert (tmp_path / "victim").read_bytes() == b"v"
        assert (out / "victim").read_bytes() == b"v"
        (out / "1.0/t/old").write_bytes(b"3")
    assert refused > COUNT // 10
