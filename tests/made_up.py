"""Documents that nobody would write, and all that is printed of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from kubestencil.engine import File, Target
from kubestencil.schema import Release
from kubestencil.targets import load_multi_release_view, print_files, print_part
from tests.conftest import document

#: Names that definitions can have.
PROPER_NAMES = st.from_regex(r"([a-z]\.){0,2}(v[12]\.)?[A-C][a-z]{0,2}", fullmatch=True)
NAMES = st.one_of(
    PROPER_NAMES,
    st.text(max_size=12),
    st.sampled_from(["..", "a/b", "/etc/x", "a\0b", "io.k8s.v1.A", "None", "class"]),
)
TEXTS = st.one_of(
    st.text(),
    st.sampled_from(["</td>", "a|b", "`x`", "{{ 1 }}", "\n# x\n", "<script>", "\\"]),
)


def schemas(names: list[str]) -> st.SearchStrategy[Any]:
    leaf = st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])}),
        st.sampled_from(names).map(lambda name: {"$ref": f"#/definitions/{name}"}),
        st.fixed_dictionaries({"description": TEXTS, "default": TEXTS}),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
            st.fixed_dictionaries({"additionalProperties": inner}),
            st.fixed_dictionaries(
                {
                    "description": TEXTS,
                    "properties": st.dictionaries(
                        st.text(max_size=8), inner, max_size=3
                    ),
                },
                # No release has any of these beside fields, but documents may.
                optional={"items": inner, "additionalProperties": inner},
            ),
        ),
        max_leaves=6,
    )


def everything(releases: Sequence[Release], target: Target) -> Iterator[File]:
    """All files of a target, whether it is printed for a release or over all."""
    if target.scope == "release":
        for release in releases:
            yield from print_files(release, target)
        return
    names = [release.name for release in releases]
    view = load_multi_release_view(target)
    for part in view.divide(names, lambda: releases, target):
        own = [release for release in releases if release.name in part.releases]
        for file in print_part(part.name, own, part.context(), target):
            yield File(f"{part.name}/{file.path}".lstrip("/"), file.data)


@st.composite
def specs(draw: st.DrawFn, of_names: st.SearchStrategy[str] = NAMES) -> dict[str, Any]:
    names = draw(st.lists(of_names, min_size=1, max_size=4, unique=True))
    return document({name: draw(schemas(names)) for name in names})
