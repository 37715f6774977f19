"""Where pages say that a type is used: the shortest paths, and whether there are more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets.site.pages.usage import Use, find_usage
from tests.conftest import make_release
from tests.strategies import generate_all_files

# The types of a document by number, each with the numbers of the types of its fields.
Types = Mapping[int, list[int]]

KIND = "io.k8s.api.core.v1.T0"


def name_of(number: int) -> str:
    return f"io.k8s.api.core.v1.T{number}"


def field_of(index: int) -> str:
    return f"field{index}"


def release_of(types: Types) -> Release:
    """A release with these types, the first of which is a kind."""
    definitions: dict[str, Any] = {
        name_of(number): {
            "type": "object",
            "properties": {
                field_of(index): {"$ref": f"#/definitions/{name_of(target)}"}
                for index, target in enumerate(targets)
            },
        }
        for number, targets in types.items()
    }
    definitions[KIND]["properties"] |= {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
    }
    definitions[KIND]["x-kubernetes-group-version-kind"] = [
        {"group": "", "version": "v1", "kind": "T0"}
    ]
    return make_release(definitions)


def paths_from(types: Types, number: int, path: tuple[str, ...]) -> Iterator[Any]:
    """The paths from a type to others, but not to the kind: pairs of a path and the
    number of its last type. The shortest ones pass each type no more often than so many
    of them are shown."""
    if len(path) >= 4 * (len(types) - 1):
        return
    for index, target in enumerate(types[number]):
        if target != 0:
            longer = (*path, field_of(index))
            yield longer, target
            yield from paths_from(types, target, longer)


def expected_uses(types: Types) -> dict[str, Use]:
    """Of each type in the kind the use that its page shows."""
    paths: dict[int, list[tuple[str, ...]]] = {}
    for path, number in paths_from(types, 0, ()):
        paths.setdefault(number, []).append(path)
    uses = {}
    for number, type_paths in paths.items():
        type_paths.sort(key=lambda path: (len(path), path))
        shown = tuple(".".join(path) for path in type_paths[:3])
        uses[name_of(number)] = Use(KIND, shown, len(type_paths) > 3)
    return uses


TYPES = st.integers(min_value=1, max_value=3).flatmap(
    lambda size: st.fixed_dictionaries(
        {
            number: st.lists(st.integers(0, size - 1), max_size=3)
            for number in range(size)
        }
    )
)


@given(TYPES)
def test_a_type_has_the_shortest_paths(types: Types) -> None:
    used_in = find_usage(release_of(types), [KIND]).used_in
    assert {name: use for name, (use,) in used_in.items()} == expected_uses(types)


def test_paths_are_not_counted() -> None:
    """Their number doubles with each of these references."""
    types = {number: [number + 1] * 2 for number in range(30)} | {30: []}
    (use,) = find_usage(release_of(types), [KIND]).used_in[name_of(30)]
    assert len(use.paths) == 3
    assert use.has_more


@pytest.mark.parametrize(
    ("types", "number", "has_more"),
    [
        ({0: [1] * 3, 1: []}, 1, False),
        ({0: [1] * 4, 1: []}, 1, True),
        ({0: [1], 1: [1]}, 1, True),
    ],
)
def test_a_page_says_that_there_are_more_paths(
    types: Types, number: int, has_more: bool
) -> None:
    site = load_targets(None)["site"]
    files = {
        file.path: file.data for file in generate_all_files([release_of(types)], site)
    }
    page = files[f"test/core/v1/T{number}/index.html"].decode()
    section = page.partition('<h2 id="kinds">')[2].partition("</section>")[0]
    item = " ".join(unescape(re.sub("<[^>]*>", "", section)).split())
    assert item.startswith("Used in resources T0 core/v1 field0")
    assert item.endswith("and more" if has_more else "field2")
