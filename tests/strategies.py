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
