"""Hypothesis generates documents with hostile names and texts, of which the library is
valid."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestencil.errors import SpecError
from tests.conftest import make_release
from tests.jsonnet_library import (
    BAR,
    FOO,
    all_calls,
    evaluate,
    files,
    library_of,
    ref,
    results,
    write,
)

# fmt: off
NAMES = st.one_of(
    st.sampled_from([
        "self", "error", "local", "importbin", "std", "d", "null", "mixin", "new",
        "$ref", "$", "", "9lives", "a.b", "x-y", "-lead", "a/b", "a b", "#", "#a",
        "status", "apiVersion", "kind", "metadata", "Foo", "foo", "fooMixin",
        "'", '"', "\\", "\n", "|||", "%s", "`", "](x)", "<b>", "é", "\u2028",
        "IPs", "URLPath",
    ]),
    st.text(max_size=6),
)
# fmt: on
TEXTS = st.one_of(
    st.sampled_from(
        [
            'it\'s <b>&\u2028\x7f\t\x08 "q" é \\',
            'ends in a "quote"',
            "|||\n  text\n|||",
            "%s %(x)s %%",
            "\x00\x1b\x80\u00a0\u200b\ue000\U000e0001\U0001f600\ufffd",
            "```\n# heading\n</script><script>alert(1)</script>",
            "'",
            '"',
        ]
    ),
    st.text(max_size=30),
)


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(NAMES, inner, max_size=4)
    described = {"description": TEXTS}
    return st.one_of(
        st.fixed_dictionaries({"properties": properties, **described}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner, **described}),
    )


SCHEMAS = st.recursive(
    st.one_of(
        st.sampled_from([ref(FOO), ref(BAR)]),
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(["string", "integer", "object", "boolean"]),
                "description": TEXTS,
            }
        ),
        st.just({"type": "array"}),
    ),
    schemas,
    max_leaves=8,
)
DOCUMENTS = st.fixed_dictionaries(
    {
        name: st.fixed_dictionaries(
            {
                "description": TEXTS,
                "properties": st.dictionaries(NAMES, SCHEMAS, max_size=5),
                "x-kubernetes-group-version-kind": st.sampled_from(
                    [[], [{"group": "it's", "version": 'v"1', "kind": "Foo"}]]
                ),
            }
        )
        for name in (FOO, BAR)
    }
)


@pytest.mark.nightly
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(DOCUMENTS)
def test_every_document_gives_a_valid_library_or_an_error(
    tmp_path: Path, definitions: dict[str, Any]
) -> None:
    """Every function can be called, and the pages have what an engine reads in the
    ``#…`` fields."""
    try:
        spec = make_release(definitions)
        generated = files(spec, "jsonnet")
        pages = files(spec, "jsonnet-docs")
    except SpecError as error:
        assert re.search(r"two fields need|cannot have an object|surrogate", str(error))
        return
    main = write(tmp_path, generated)
    expressions, expected = zip(*[*all_calls(library_of(spec)), ("1", 1)], strict=True)
    assert results(main, list(expressions)) == list(expected)
    documented = evaluate(
        f"local k = import {json.dumps(str(main))};"
        "(import 'documented.libsonnet').of(k, {}).g.v1"
    )
    for name in ("foo", "bar"):
        text = pages[f"g/v1/{name}.md"].decode()
        assert count_documented(documented[name]) == len(
            re.findall(r"^##+ (?:fn|obj) ", text, re.M)
        )
        assert unexpected_lines(text) == []


def count_documented(fields: dict[str, Any]) -> int:
    """The number of documented fields of an object, at all levels."""
    count = sum(name[0] == "#" and len(name) > 1 for name in fields)
    return count + sum(
        count_documented(inner) for name, inner in fields.items() if name[:1] != "#"
    )


# The lines of the page's template, and quoted descriptions.
EXPECTED_LINE = re.compile(
    r"---|permalink: /test/[\w/]+|# [\w.]+|## Index|## Fields|```ts|```|"
    r"##+ (?:fn|obj) \S+| *\* \[`(?:fn|obj) [^`\n]+`\]\(#[^\s()<>]*\)|"
    r'[^\s`]*\(\w*\)|new returns an instance of \w+|"[^\n]*|\\?|  +|'
    r"\*\*Note:\*\* This function appends passed data to existing values"
)


def unexpected_lines(text: str) -> list[str]:
    """The lines of a page that a hostile description or name has changed."""
    return [
        line
        for line in text.split("\n")
        if not EXPECTED_LINE.fullmatch(line) or re.search(r"<(?:/?script|b)\b", line)
    ]
