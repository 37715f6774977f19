"""Cases: two documents, manifests for them, and how they came about."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests import strategies
from tests.conftest import make_document
from tests.crd_schemas import random_definitions
from tests.hostile.documents import (
    Document,
    insert_texts,
    mutate,
    part_of_release,
    whole_release,
)
from tests.hostile.handmade import handmade
from tests.hostile.spellings import as_bytes, damaged
from tests.hostile.texts import Texts
from tests.manifests import manifests
from tests.mutations import mutants
from tests.test_python_hostile_specs import (
    DEFINITION_NAMES,
    DESCRIPTIONS,
    JSON_NAMES,
    SCHEMAS,
)

#: The family of documents with all definitions of a release.
WHOLE_RELEASE = "whole release"
CRDS = Path(__file__).parent.parent / "crds" / "gadgets.yaml"
# The cases that are made in one go by hypothesis, which takes a while to begin.
_BLOCK = 60


class Case(NamedTuple):
    """Two documents of one form, and manifests.

    ``plain`` are the same documents with harmless texts, where there are such; with
    ``same_elements``, HTML of both has the same elements in the same order.
    """

    number: int
    family: str
    is_crds: bool
    documents: tuple[bytes, bytes]
    plain: tuple[bytes, bytes] | None
    same_elements: bool
    manifests: bytes


def make_case(base_seed: int, number: int) -> Case:
    """The case of a number; the same one for the same seed."""
    source = random.Random(f"{base_seed}/{number}")
    family = _family(source)
    return _FAMILIES[family][1](base_seed, number, source)


def _family(source: random.Random) -> str:
    weights = [weight for weight, _ in _FAMILIES.values()]
    return source.choices([*_FAMILIES], weights)[0]


def _part_case(base_seed: int, number: int, source: random.Random) -> Case:
    """Mutations of a kind of a release, or only hostile texts in it."""
    same_elements = source.random() < 0.4
    return _texts_case(
        number, "part of a release", part_of_release, source, same_elements
    )


def _whole_case(base_seed: int, number: int, source: random.Random) -> Case:
    return _texts_case(number, WHOLE_RELEASE, whole_release, source, False)


def _crd_case(base_seed: int, number: int, source: random.Random) -> Case:
    same_elements = source.random() < 0.4
    return _texts_case(number, "CRD", _gadgets, source, same_elements)


def _texts_case(
    number: int,
    family: str,
    base: Callable[[random.Random], Document],
    source: random.Random,
    same_elements: bool,
) -> Case:
    start = source.getrandbits(64)
    # Half of the documents stay valid, so that targets print them.
    is_valid = same_elements or source.random() < 0.5
    change = insert_texts if is_valid else mutate

    def documents(plain: bool) -> tuple[bytes, bytes]:
        random_source = random.Random(start)
        texts = Texts(random_source, html_only=same_elements, plain=plain)
        first = base(random_source)
        change(first, texts, random_source.choice((1, 1, 2, 5)))
        second = json.loads(json.dumps(first))
        change(second, texts, random_source.choice((0, 1, 2)))
        return _bytes(first), _bytes(second)

    hostile = documents(False)
    return Case(
        number,
        family,
        base is _gadgets,
        hostile,
        documents(True) if same_elements else None,
        same_elements,
        _manifests(source, hostile[1]),
    )


def _hypothesis_case(base_seed: int, number: int, source: random.Random) -> Case:
    made = _generated(base_seed, number // _BLOCK)[number]
    is_crds = made[0].get("kind") == "CustomResourceDefinition"
    first, second = as_bytes(made[0], source), as_bytes(made[1], source)
    return Case(
        number,
        "hypothesis",
        is_crds,
        (first, second),
        None,
        False,
        _manifests(source, second),
    )


def _handmade_case(base_seed: int, number: int, source: random.Random) -> Case:
    texts = Texts(source)
    first = handmade(texts)
    second = json.loads(json.dumps(first))
    mutate(second, texts, source.choice((1, 3)))
    data = as_bytes(first, source), as_bytes(second, source)
    return Case(
        number, "handmade", False, data, None, False, _manifests(source, data[1])
    )


def _damaged_case(base_seed: int, number: int, source: random.Random) -> Case:
    is_crds = source.random() < 0.3
    document = _gadgets(source) if is_crds else part_of_release(source)
    data = damaged(document, source), damaged(document, source)
    return Case(
        number, "damaged", is_crds, data, None, False, damaged(_OBJECTS, source)
    )


_FAMILIES: dict[str, tuple[float, Callable[[int, int, random.Random], Case]]] = {
    "part of a release": (41.8, _part_case),
    "CRD": (20, _crd_case),
    "hypothesis": (16, _hypothesis_case),
    "handmade": (12, _handmade_case),
    "damaged": (10, _damaged_case),
    WHOLE_RELEASE: (0.2, _whole_case),
}


def _gadgets(source: random.Random) -> Document:
    """A CustomResourceDefinition of tests/crds."""
    document: Document = json.loads(source.choice(_gadget_texts()))
    return document


@cache
def _gadget_texts() -> list[str]:
    documents = yaml.safe_load_all(CRDS.read_text())
    return [json.dumps(document) for document in documents if document]


@cache
def _objects() -> list[Document]:
    return manifests()


@cache
def _generated(base_seed: int, block: int) -> dict[int, tuple[Document, Document]]:
    """Pairs of documents that hypothesis makes, by number of the case: the same ones for
    the same seed."""
    numbers = [
        number
        for number in range(block * _BLOCK, (block + 1) * _BLOCK)
        if _family(random.Random(f"{base_seed}/{number}")) == "hypothesis"
    ]
    made: list[tuple[Document, Document]] = []

    # The first example of hypothesis is always the smallest one.
    @seed(f"{base_seed}/{block}")
    @settings(
        max_examples=len(numbers) * 2,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(_PAIRS)
    def collect(pair: tuple[Document, Document]) -> None:
        if len(made) <= len(numbers):
            made.append(pair)

    collect()
    return dict(zip(numbers, made[1:], strict=True))


def _pairs(documents: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(documents, documents)


_PAIRS = st.one_of(
    _pairs(strategies.documents(strategies.VALID_NAMES)),
    _pairs(strategies.documents()),
    _pairs(
        st.dictionaries(
            st.sampled_from(DEFINITION_NAMES),
            st.fixed_dictionaries(
                {
                    "type": st.just("object"),
                    "description": DESCRIPTIONS,
                    "properties": st.dictionaries(
                        st.sampled_from(JSON_NAMES), st.sampled_from(SCHEMAS)
                    ),
                }
            ),
            min_size=1,
        ).map(make_document)
    ),
    _pairs(st.integers(0, 2**32).map(lambda seed: next(random_definitions(seed, 1)))),
    _pairs(
        st.dictionaries(
            strategies.VALID_NAMES,
            strategies.STRUCTURAL_SCHEMAS,
            min_size=1,
            max_size=3,
        ).map(make_document)
    ),
)
_OBJECTS = {"apiVersion": "v1", "kind": "List", "items": _objects()[:6]}


def _manifests(source: random.Random, document: bytes) -> bytes:
    """Mutated objects, and objects of the kinds of a document with hostile texts."""
    texts = Texts(source)
    objects = [mutant.text for mutant in mutants(_objects(), source.getrandbits(32), 3)]
    for served in _served(document)[:3]:
        value = {
            **served,
            "metadata": {"name": texts.text(), texts.name(): texts.text()},
            "spec": {texts.name(): [texts.text()]},
            texts.name(): None,
        }
        objects.append(json.dumps(value))
    return "\n---\n".join(objects).encode(errors="replace")


def _served(document: bytes) -> list[Document]:
    """The apiVersion and kind of what a document defines, as far as they are valid."""
    try:
        definitions = json.loads(document).get("definitions")
        served = [
            kind
            for definition in definitions.values()
            for kind in definition.get("x-kubernetes-group-version-kind", ())
        ]
        return [
            {
                "apiVersion": "/".join(filter(None, (kind["group"], kind["version"]))),
                "kind": kind["kind"],
            }
            for kind in served
        ]
    except (ValueError, AttributeError, TypeError, KeyError):
        return []


def _bytes(document: Any) -> bytes:
    return json.dumps(document).encode()
