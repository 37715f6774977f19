"""Reads the HTML pages of reports, and checks that no text in them is HTML."""

from __future__ import annotations

import html.parser


class Page(html.parser.HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def check_page(text: str) -> Page:
    """Check that a page has only its own script and style, and loads nothing."""
    page = Page(text)
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "iframe", "object", "base", "svg"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "srcset", "style"} & names
    return page
