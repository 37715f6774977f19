"""How names and texts are spelled, and that texts stay where they belong."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubestencil.errors import SpecError
from kubestencil.targets.markdown.quirks import client_words
from kubestencil.targets.python.spelling import Spelling, class_names
from kubestencil.text import markdown
from kubestencil.text import yaml as yaml_language

SPLIT, WHOLE = Spelling("split"), Spelling("whole")


@pytest.mark.parametrize(
    ("name", "split", "whole"),
    [
        ("apiVersion", "api_version", "api_version"),
        ("podIP", "pod_ip", "pod_ip"),
        ("podIPs", "pod_i_ps", "pod_ips"),
        ("nonResourceURLs", "non_resource_ur_ls", "non_resource_urls"),
        ("setHostnameAsFQDN", "set_hostname_as_fqdn", "set_hostname_as_fqdn"),
        ("$ref", "ref", "ref"),
        ("x-kubernetes-list-type", "x_kubernetes_list_type", "x_kubernetes_list_type"),
        ("continue", "_continue", "_continue"),
        ("exec", "_exec", "_exec"),
        ("1st", "_1st", "_1st"),
    ],
)
def test_attributes_as_the_clients_have_them(name: str, split: str, whole: str) -> None:
    assert (SPLIT.attribute(name), WHOLE.attribute(name)) == (split, whole)


@given(st.text())
def test_an_attribute_is_always_an_identifier(name: str) -> None:
    assert SPLIT.attribute(name).isidentifier()


def test_a_name_keeps_as_many_parts_as_tell_it_from_others() -> None:
    names = [
        "io.k8s.api.core.v1.Event",
        "io.k8s.api.events.v1.Event",
        "io.k8s.api.core.v1.Pod",
        "com.example.v1.Pod",
    ]
    assert class_names(names) == {
        "io.k8s.api.core.v1.Event": "CoreV1Event",
        "io.k8s.api.events.v1.Event": "EventsV1Event",
        "io.k8s.api.core.v1.Pod": "V1Pod",
        "com.example.v1.Pod": "ComExampleV1Pod",
    }


@pytest.mark.parametrize(
    "names",
    [
        ["com.a.Pod", "com.a-Pod"],
        # Not the same, but the same file where the disk ignores case.
        ["com.a.PodIp", "com.a.PodIP"],
    ],
)
def test_two_definitions_with_one_name_are_refused(names: list[str]) -> None:
    with pytest.raises(SpecError, match="two definitions get the name"):
        class_names(names)


HOSTILE = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                *(
                    "<script>",
                    "</td>",
                    "<img src=x onerror=y>",
                    "<!--",
                    "<topologyKey>",
                ),
                *("|", "\\", "`", "```", "~~~", "# ", "- ", "1. ", "> ", "---", "==="),
                *("\n", "\r", "\t", "\0", "\u2028", "{{ x }}", "{% x %}", "&lt;"),
                *("[a](javascript:x)", "](", "![", "<a:b>", "](data:", "]: x", "<a b>"),
                *("word", " ", "    ", "'", '"', "*", "_", "&#106;", "java"),
            ]
        )
    ).map("".join),
)


def tokens(text: str) -> list[object]:
    """What CommonMark and tables make of a page, blocks and what is in them."""
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


def is_harmless(page: str) -> bool:
    for token in tokens(page):
        kind = token.type  # type: ignore[attr-defined]
        if kind == "html_block" or kind == "image":
            return False
        if kind == "html_inline" and any(
            sign in token.content  # type: ignore[attr-defined]
            for sign in ("=", "/", "!", "script", "img")
        ):
            return False
        if kind == "link_open":
            target = dict(token.attrs)["href"].lower()  # type: ignore[attr-defined]
            if ":" in target and not target.startswith(("http", "mailto:")):
                return False
    return True


@given(HOSTILE)
def test_a_paragraph_stays_one_paragraph(text: str) -> None:
    page = f"# Title\n\n{markdown.paragraph(text)}\n\n## End\n"
    blocks = [
        token.type  # type: ignore[attr-defined]
        for token in tokens(page)
        if token.type.endswith("_open") and token.block  # type: ignore[attr-defined]
    ]
    inside = [kind for kind in blocks if kind != "heading_open"]
    assert inside in (["paragraph_open"], [])
    assert blocks.count("heading_open") == 2
    assert is_harmless(page)


@given(HOSTILE, HOSTILE)
def test_a_cell_stays_one_cell(first: str, second: str) -> None:
    cells = [markdown.escape_pipes(markdown.cell(each)) for each in (first, second)]
    row = f"**x** | {cells[0]} | {cells[1]} | [optional] "
    page = f"Name | A | B | C\n--- | --- | --- | ---\n{row}\n\nend\n"
    kinds = [token.type for token in tokens(page)]  # type: ignore[attr-defined]
    assert kinds.count("td_open") == 4
    assert kinds.count("tr_open") == 2
    assert kinds.count("paragraph_open") == 1
    assert is_harmless(page)


def test_what_stands_for_something_to_fill_in_is_left_as_published() -> None:
    shown = markdown.paragraph("the key <topologyKey> in pods/<pod name>/x")
    assert shown == "the key <topologyKey> in pods/<pod name>/x"
    assert markdown.paragraph("a <b> and </b>") == "a &lt;b> and &lt;/b>"


def test_words_that_begin_with_client() -> None:
    rename = client_words("kubernetes")
    assert rename("the client, clients and a subclient") == (
        "the kubernetes.client, kubernetes.clients and a subclient"
    )
    assert rename("client-python clientIP x.client") == (
        "client-python kubernetes.clientIP x.kubernetes.client"
    )


@given(st.one_of(HOSTILE, st.from_regex(r"[-+.0-9a-zA-Z_:$~]{1,6}", fullmatch=True)))
def test_a_yaml_string_is_one(text: str) -> None:
    """As a value, as a key, in a list, and with another line after it."""
    spelled = yaml_language.string(text)
    assert "\n" not in spelled
    document = (
        f"a: {spelled}\n{yaml_language.key(text, '')} {spelled}\nz:\n- {spelled}\n"
    )
    assert yaml.safe_load(document) == {"a": text, text: text, "z": [text]}


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_yaml_number_is_one(number: float) -> None:
    found = yaml.safe_load(yaml_language.value(number))
    assert (found, type(found)) == (number, type(number))
