"""Generated documents for property tests, and all files generated from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from kubestencil.engine import File, Target
from kubestencil.schema import Release
from kubestencil.targets import generate_files, generate_part, load_multi_release_view
from tests.conftest import make_document

#: Valid names of definitions.
VALID_NAMES = st.from_regex(r"([a-z]\.){0,2}(v[12]\.)?[A-C][a-z]{0,2}", fullmatch=True)
NAMES = st.one_of(
    VALID_NAMES,
    st.text(max_size=12),
    st.sampled_from(["..", "a/b", "/etc/x", "a\0b", "io.k8s.v1.A", "None", "class"]),
)
TEXTS = st.one_of(
    st.text(),
    st.sampled_from(["</td>", "a|b", "`x`", "{{ 1 }}", "\n# x\n", "<script>", "\\"]),
)

# fmt: off
_HOSTILE_PIECES = [
    "<script>", "</td>", "<img src=x onerror=y>", "<!--", "<topologyKey>",
    "|", "\\", "`", "```", "~~~", "# ", "- ", "1. ", "> ", "---", "===",
    "\n", "\r", "\t", "\0", "\u2028", "{{ x }}", "{% x %}", "&lt;",
    "[a](javascript:x)", "](", "![", "<a:b>", "](data:", "]: x", "<a b>",
    "word", " ", "    ", "'", '"', "*", "_", "&#106;", "java",
]
# fmt: on
#: Texts with markup and control characters of several languages.
HOSTILE_TEXTS = st.one_of(
    st.text(), st.lists(st.sampled_from(_HOSTILE_PIECES)).map("".join)
)


def schemas(names: list[str]) -> st.SearchStrategy[Any]:
    """Schemas that may refer to the definitions ``names``."""
    leaf = st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])}),
        st.sampled_from(names).map(lambda name: {"$ref": f"#/definitions/{name}"}),
        st.fixed_dictionaries({"description": TEXTS, "default": TEXTS}),
    )
    return st.recursive(
        leaf,
        lambda nested: st.one_of(
            st.fixed_dictionaries({"type": st.just("array"), "items": nested}),
            st.fixed_dictionaries({"additionalProperties": nested}),
            st.fixed_dictionaries(
                {
                    "description": TEXTS,
                    "properties": st.dictionaries(
                        st.text(max_size=8), nested, max_size=3
                    ),
                },
                # Kubernetes' documents have none of these beside fields.
                optional={"items": nested, "additionalProperties": nested},
            ),
        ),
        max_leaves=6,
    )


def generate_all_files(releases: Sequence[Release], target: Target) -> Iterator[File]:
    """All files of a target of either scope."""
    if target.scope == "release":
        for release in releases:
            yield from generate_files(release, target)
        return
    names = [release.name for release in releases]
    view = load_multi_release_view(target)
    for part in view.divide(names, lambda: releases, target):
        part_releases = [
            release for release in releases if release.name in part.releases
        ]
        for file in generate_part(part.name, part_releases, part.context(), target):
            yield File(f"{part.name}/{file.path}".lstrip("/"), file.data)


@st.composite
def documents(
    draw: st.DrawFn, definition_names: st.SearchStrategy[str] = NAMES
) -> dict[str, Any]:
    """OpenAPI documents, valid and invalid ones."""
    names = draw(st.lists(definition_names, min_size=1, max_size=4, unique=True))
    return make_document({name: draw(schemas(names)) for name in names})


def _with_some(
    schema: dict[str, Any], **keywords: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """``schema`` with any of ``keywords``."""
    return st.fixed_dictionaries({}, optional=keywords).map(lambda more: schema | more)


_SIZES = st.integers(0, 12)
_PATTERNS = st.sampled_from(
    [
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        r"^\d+%?$",
        "^(?i)(abort|warn)$",
        "a{3}",
        "^$",
        "a$^",
    ]
)
_STRINGS = st.one_of(
    _with_some(
        {"type": "string"},
        pattern=_PATTERNS,
        minLength=_SIZES,
        maxLength=_SIZES,
        default=st.sampled_from(["", "a", "10s"]),
    ),
    _with_some(
        {"type": "string"}, enum=st.lists(st.sampled_from(["", "A", "b"]), min_size=1)
    ),
    st.sampled_from(["date-time", "byte", "ipv4", "uuid"]).map(
        lambda format_: {"type": "string", "format": format_}
    ),
    st.just({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}),
    st.just({"type": "string", "not": {"enum": ["string"]}}),
)
_LIMITS = st.one_of(st.integers(-9, 99), st.floats(-3, 3).map(lambda x: round(x, 2)))
_NUMBERS = st.sampled_from(["integer", "number"]).flatmap(
    lambda type_: _with_some(
        {"type": type_},
        minimum=_LIMITS,
        maximum=_LIMITS,
        exclusiveMinimum=st.booleans(),
        exclusiveMaximum=st.booleans(),
        multipleOf=st.sampled_from([1, 3, 0.5, 7]),
        enum=st.lists(st.integers(0, 9), min_size=1),
    )
)
_FIELD_NAMES = st.sampled_from("abcd")
_FIELD_SETS = st.lists(
    st.lists(_FIELD_NAMES, min_size=1, max_size=2).map(
        lambda names: {"required": names}
    ),
    min_size=1,
    max_size=3,
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with required fields and conditions."""
    return st.dictionaries(_FIELD_NAMES, inner, min_size=1).flatmap(
        lambda properties: _with_some(
            {"type": "object", "properties": properties},
            required=st.lists(st.sampled_from(sorted(properties)), unique=True),
            oneOf=_FIELD_SETS,
            anyOf=_FIELD_SETS,
            minProperties=st.integers(0, 3),
            maxProperties=st.integers(1, 4),
            **{
                "not": st.lists(_FIELD_NAMES, min_size=1).map(lambda n: {"required": n})
            },
        )
    )


#: Structural schemas, as CustomResourceDefinitions have them.
STRUCTURAL_SCHEMAS = st.recursive(
    st.one_of(
        _STRINGS,
        _NUMBERS,
        st.just({"type": "boolean"}),
        _with_some({"x-kubernetes-int-or-string": True}, pattern=_PATTERNS),
        _with_some(
            {"x-kubernetes-preserve-unknown-fields": True}, nullable=st.booleans()
        ),
    ),
    lambda inner: st.one_of(
        _objects(inner),
        inner.flatmap(
            lambda items: _with_some(
                {"type": "array", "items": items},
                minItems=st.integers(0, 3),
                maxItems=st.integers(0, 4),
            )
        ),
        st.one_of(_STRINGS, _NUMBERS).flatmap(
            lambda items: _with_some(
                {"type": "array", "items": items, "x-kubernetes-list-type": "set"},
                minItems=st.integers(0, 3),
            )
        ),
        inner.flatmap(
            lambda values: _with_some(
                {"type": "object", "additionalProperties": values},
                minProperties=st.integers(0, 3),
            )
        ),
    ),
    max_leaves=6,
)
