"""References between definitions, compared with simpler and slower algorithms."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.schema import graph
from kubestencil.schema.pointer import printable_pointer
from tests.conftest import load, make_release

NAMES = list("abcdefg")
#: Small graphs. Some refer to names that they do not have, or twice to one name.
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES[:-1]), st.lists(st.sampled_from(NAMES), max_size=4)
)
CHAIN_LENGTH = 20_000


def paths_exist(edges: graph.Graph) -> set[tuple[str, str]]:
    """The pairs of names with a path of one or more references (Warshall)."""
    pairs = {(name, target) for name, targets in edges.items() for target in targets}
    for middle in NAMES:
        pairs |= {
            (start, end)
            for start in NAMES
            for end in NAMES
            if (start, middle) in pairs and (middle, end) in pairs
        }
    return pairs


@given(GRAPHS)
def test_reverse_turns_every_reference_round(edges: graph.Graph) -> None:
    referrers = graph.reverse(edges)
    assert referrers.keys() == {*edges, *(name for to in edges.values() for name in to)}
    assert sorted((name, to) for name, targets in edges.items() for to in targets) == (
        sorted((name, to) for to, names in referrers.items() for name in names)
    )


@given(GRAPHS, st.sampled_from(NAMES))
def test_breadth_first_gives_the_nearest_names_first(
    edges: graph.Graph, start: str
) -> None:
    pairs = list(graph.breadth_first(edges, start))
    names = [name for _, name in pairs]
    assert len(names) == len(set(names))
    assert set(names) == {end for begin, end in paths_exist(edges) if begin == start}
    distances = graph.distances(edges, start)
    lengths = [distances[referrer] + 1 for referrer, _ in pairs]
    assert lengths == sorted(lengths)
    for (referrer, name), length in zip(pairs, lengths, strict=True):
        assert name in edges[referrer]
        assert name == start or distances[name] == length


@given(GRAPHS, st.sampled_from(NAMES))
def test_distances_are_those_of_the_shortest_paths(
    edges: graph.Graph, start: str
) -> None:
    expected = {start: 0}
    for distance in range(1, len(NAMES)):
        nearer = list(expected)
        for name in nearer:
            for target in edges.get(name, ()):
                expected.setdefault(target, distance)
    distances = graph.distances(edges, start)
    assert distances == expected
    assert list(distances.values()) == sorted(distances.values()), "nearest first"


@given(GRAPHS, st.sampled_from(NAMES))
def test_breadth_first_yields_each_reachable_name_once_nearest_first(
    edges: graph.Graph, start: str
) -> None:
    """With a referrer that is one reference nearer; the start only if on a cycle."""
    distances = graph.distances(edges, start)
    pairs = list(graph.breadth_first(edges, start))
    names = [name for _, name in pairs]
    reachable = {end for first, end in paths_exist(edges) if first == start}
    assert sorted(names) == sorted(reachable)
    others = [(referrer, name) for referrer, name in pairs if name != start]
    assert all(name in edges[referrer] for referrer, name in pairs)
    assert all(distances[name] == distances[to] + 1 for to, name in others)
    assert [name for _, name in others] == list(distances)[1:]


@given(GRAPHS, st.sets(st.sampled_from(NAMES)))
def test_reachable_names_are_those_with_a_path(
    edges: graph.Graph, starts: set[str]
) -> None:
    paths = paths_exist(edges)
    ends = {name for name in NAMES if any((start, name) in paths for start in starts)}
    assert graph.reachable(edges, starts) == starts | ends


@given(GRAPHS)
def test_components_are_the_names_that_reach_each_other(edges: graph.Graph) -> None:
    paths = paths_exist(edges)
    components = graph.components(edges)
    names = [name for component in components for name in component]
    assert sorted(names) == sorted(edges), "each name is in one component"
    number = {name: i for i, component in enumerate(components) for name in component}
    for one in edges:
        for other in edges:
            mutual = one == other or {(one, other), (other, one)} <= paths
            assert (number[one] == number[other]) == mutual
            if (one, other) in paths:
                assert number[other] <= number[one], "targets come first"


@given(GRAPHS)
def test_cyclic_edges_are_those_with_a_path_back(edges: graph.Graph) -> None:
    paths = paths_exist(edges)
    expected = {
        name: tuple(to for to in targets if to == name or (to, name) in paths)
        for name, targets in edges.items()
    }
    assert graph.cyclic_edges(edges) == {
        name: targets for name, targets in expected.items() if targets
    }


@given(GRAPHS)
def test_names_on_or_between_cycles(edges: graph.Graph) -> None:
    paths = paths_exist(edges)
    cyclic = {name for name in NAMES if (name, name) in paths}
    between = {
        name
        for name in NAMES
        if any((start, name) in paths for start in cyclic)
        and any((name, end) in paths for end in cyclic)
    }
    assert graph.on_or_between_cycles(edges) == cyclic | between


@pytest.mark.growth
def test_long_chains_and_cycles_take_linear_time() -> None:
    """A quadratic algorithm would take minutes, a recursive one would fail."""
    names = [f"n{index}" for index in range(CHAIN_LENGTH)]
    chain = {name: [target] for name, target in pairwise(names)} | {names[-1]: []}
    assert graph.components(chain) == [(name,) for name in reversed(names)]
    assert graph.cyclic_edges(chain) == {}
    assert graph.distances(chain, names[0])[names[-1]] == CHAIN_LENGTH - 1
    assert graph.reachable(chain, names[:1]) == set(names)

    cycle = chain | {names[-1]: names[:1]}
    assert graph.components(cycle) == [tuple(names)]
    assert graph.on_or_between_cycles(cycle) == set(names)


def test_a_definition_has_the_references_nested_in_it() -> None:
    spec = make_release(
        {
            "A": {
                "properties": {
                    "list": {"items": {"$ref": "#/definitions/B"}},
                    "map": {
                        "additionalProperties": {
                            "properties": {
                                "x/y": {"$ref": "#/definitions/C"},
                                "again": {"$ref": "#/definitions/B"},
                            }
                        }
                    },
                }
            },
            "B": {"$ref": "#/definitions/C"},
            "C": {"type": "string"},
        }
    )
    definitions = spec.definitions
    assert list(graph.references(definitions["A"].schema)) == ["B", "C", "B"]
    assert graph.reference_graph(definitions) == {
        "A": ("B", "C"),
        "B": ("C",),
        "C": (),
    }
    schemas = graph.walk(definitions["A"].schema, ("A", None))
    assert {
        printable_pointer(pointer): schema.ref
        for pointer, schema in schemas
        if schema.ref
    } == {
        "/A/properties/list/items": "B",
        "/A/properties/map/additionalProperties/properties/x~1y": "C",
        "/A/properties/map/additionalProperties/properties/again": "B",
    }


def test_root_kinds_of_parts_shared_parts_and_lists() -> None:
    spec = load("1.35")
    roots = graph.RootKinds(spec, graph.reference_graph(spec.definitions))
    core = "io.k8s.api.core.v1"
    assert {
        kind.kind: distance for kind, distance in roots.of(f"{core}.PodStatus").items()
    } == {"Pod": 1}
    assert {
        (kind.kind, distance)
        for kind, distance in roots.of(f"{core}.PodSpec").items()
        if kind.group == "apps" or not kind.group
    } == {
        ("Pod", 1),
        ("PodTemplate", 2),
        ("ReplicationController", 3),
        ("DaemonSet", 3),
        ("Deployment", 3),
        ("ReplicaSet", 3),
        ("StatefulSet", 3),
    }
    assert {kind.kind for kind in roots.of(f"{core}.PodList")} == {"PodList"}
    assert roots.of("no.such.Definition") == {}


def test_a_list_of_another_type_is_a_root_kind_of_its_items() -> None:
    part = {"type": "object", "properties": {"x": {"type": "string"}}}
    spec = make_release(
        {
            "v1.Part": part,
            "v1.PartsList": {
                "properties": {"items": {"items": {"$ref": "#/definitions/v1.Part"}}},
                "x-kubernetes-group-version-kind": [
                    {"group": "", "version": "v1", "kind": "PartsList"}
                ],
            },
        }
    )
    roots = graph.RootKinds(spec, graph.reference_graph(spec.definitions)).of("v1.Part")
    assert {kind.kind: distance for kind, distance in roots.items()} == {"PartsList": 1}
