"""The docs site of hostile and of arbitrary documents: text from a document is never HTML,
and no link is broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.source import Source
from tests.conftest import POD, Command, make_document
from tests.site_pages import Page, Site, Tags
from tests.strategies import VALID_NAMES, documents, generate_all_files

TARGET = load_targets(None)["site"]
TAGS = {
    *("a", "article", "aside", "b", "body", "br", "button", "code", "dd", "del"),
    *("dialog", "div", "dl", "dt", "em", "fieldset", "footer", "form", "h1", "h2"),
    *("h3", "h4", "head", "header", "html", "i", "img", "input", "ins", "kbd"),
    *(
        "label",
        "legend",
        "li",
        "link",
        "main",
        "meta",
        "nav",
        "noscript",
        "ol",
        "option",
    ),
    *("output", "p", "pre", "script", "section", "select", "span", "strong"),
    *("summary", "details", "table", "tbody", "td", "template", "th", "thead"),
    *("title", "tr", "ul", "wbr"),
    *("figure", "figcaption", "svg", "text", "rect", "g", "textarea"),
}
ALLOWED_ATTRIBUTES = {
    *("charset", "class", "content", "data-release", "data-root"),
    *("data-kind", "data-path", "data-changes", "data-event", "data-types"),
    *("property", "hidden", "selected"),
    *("href", "http-equiv", "id", "lang", "name", "rel", "src", "defer", "title"),
    *("aria-label", "aria-labelledby", "aria-current", "aria-expanded", "role"),
    *("type", "tabindex", "alt", "width", "height", "value", "checked", "for"),
    *("aria-controls", "aria-autocomplete", "aria-hidden", "placeholder", "start"),
    *("autocomplete", "autocapitalize", "spellcheck", "enterkeyhint"),
    *("data-switch", "data-nosnippet", "data-place", "aria-busy", "accept", "multiple"),
    *("rows", "cols", "wrap", "data-placeholders", "data-find", "scope"),
    *("viewbox", "x", "y", "text-anchor", "xmlns", "transform", "d", "fill"),
}
HOSTILE = [
    "<script>window.pwned=1</script>",
    "</template></code></pre><img src=x onerror=window.pwned=1>",
    '"><a href="javascript:window.pwned=1">x</a>',
    "[click](javascript:window.pwned=1) <javascript:window.pwned=1>",
    "{{ 7 * 7 }} {% raw %} ${window.pwned=1} `${window.pwned=1}`",
    "url(javascript:1) </style><style>*{display:none}</style>",
    "- <b>\n- *x*\n\n\t</pre><svg onload=window.pwned=1>",
    "</script><!-- --> ]]> &lt;b&gt; \u2028 \u202e",
]


def hostile_definitions() -> dict[str, Any]:
    """A kind with hostile text everywhere that a document can have text."""
    fields: dict[str, Any] = {
        f"field{number}": {
            "type": "string",
            "description": text,
            "default": text,
            "enum": [text, "b"],
            "format": text,
            "pattern": text,
            "x-kubernetes-list-map-keys": [text],
            "x-kubernetes-patch-merge-key": text,
            "x-kubernetes-validations": [{"rule": text, "message": text}],
        }
        for number, text in enumerate(HOSTILE)
    }
    fields["size"] = {"type": "integer", "format": "a onclick=b"}
    hostile_names = {
        text: {"type": "string", "description": "Its name."} for text in HOSTILE
    }
    kind = {"group": HOSTILE[2], "version": HOSTILE[0], "kind": "Pod"}
    return {
        POD: {
            "description": " ".join(HOSTILE),
            "type": "object",
            "properties": {**fields, "part": {"$ref": "#/definitions/x.v1.Part"}},
            "required": ["field0"],
            "x-kubernetes-group-version-kind": [kind],
        },
        "x.v1.Part": {
            "description": HOSTILE[0],
            "type": "object",
            "properties": hostile_names,
        },
    }


def assert_harmless(page: Page) -> None:
    """Check that a page has no tags, attributes and links but those of the site's."""
    for tag, attributes in Tags(page.text).tags:
        assert tag not in ("svg", "iframe", "style", "object", "embed"), page.path
        assert set(attributes) <= ALLOWED_ATTRIBUTES, (page.path, tag, attributes)
        for name in ("href", "src"):
            address = attributes.get(name) or ""
            scheme = address.partition(":")[0] if ":" in address else ""
            assert scheme in ("", "http", "https"), (page.path, address)


def test_hostile_text_is_escaped(run: Command) -> None:
    """It becomes no tag, no attribute and no link."""
    spec = run.folder / "hostile.json"
    spec.write_text(json.dumps(make_document(hostile_definitions())))
    done = run("render", "evil", "--spec", str(spec), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    pages = Site(run.folder / "out" / "site").pages.values()
    for page in pages:
        assert_harmless(page)
    pod = next(page for page in pages if page.path == "evil/core/v1/Pod/")
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in pod.text


def list_document(*fields: str) -> dict[str, Any]:
    """A document whose only type is a list of inline objects with some fields."""
    return make_document({"v1.A": array({name: {"type": "string"} for name in fields})})


def array(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"properties": properties}}


@pytest.mark.nightly
@settings(max_examples=50)
@given(documents(VALID_NAMES), documents(VALID_NAMES))
# A field that is added to the objects in a list is shown where the list is.
@example(list_document(), list_document("new"))
@example(
    list_document("list"), make_document({"v1.A": array({"list": array({"new": {}})})})
)
def test_any_document_is_refused_or_has_a_complete_site(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    """No link is broken, and there are no tags but those of the site's templates."""
    sources = [
        Source(name, "made-up", json.dumps(content).encode())
        for name, content in (("1.1", before), ("1.2", after))
    ]
    try:
        files = list(generate_all_files([parse(source) for source in sources], TARGET))
    except KubestencilError as error:
        assert error.what
        return
    site = Site.in_memory({file.path: file.data for file in files})
    for page in site.pages.values():
        assert site.broken_links(page) == []
        tags = {tag for tag, _ in Tags(page.text).tags}
        assert tags <= TAGS, page.path
