"""Text in HTML pages: a description as readable text, and its first sentence.

Nothing in a description is HTML. What stands in it is shown, and every tag is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from textwrap import dedent

from markupsafe import Markup, escape

from kubestencil.text import godoc, terminal

_TAB = 4
# The parts of a repetition never match the same character: the time that these take
# is linear, whatever the text.
_INLINE = re.compile(
    r"(?<![\w`])`(?P<code>[^`\s](?:[^`]*[^`\s])?)`(?![\w`])"
    r"|\[(?P<text>[^\[\]]+)\]\((?P<target>https?://[A-Za-z0-9][^\s()<>\"'`\\]*"
    r"(?:\([^\s()<>\"'`\\]*\)[^\s()<>\"'`\\]*)*)\)"
    r"|(?<![\w+.-])(?P<link>https?://[A-Za-z0-9][!#-&(-;=?-\[\]-_a-~]*)"
    r"|(?<![^\s(])(?P<sign>\*\*|[*_])(?P<stress>[A-Za-z](?:[A-Za-z '-]{0,60}[A-Za-z])?)"
    r"(?P=sign)(?![\w*])"
)
_MAY_HAVE_MARKUP = re.compile(r"[`*]|://|(?<!\w)_")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_STRESS = {"**": "strong", "*": "em", "_": "em"}

_SPACES = re.compile(r"\s+")
_LEAD = re.compile(r"(?:(?:[-*+>]|#{1,6}) +)+")
_LINKED = re.compile(r"\[([^\[\]]+)\]\(https?://[^\s()]+\)")
_ABBREVIATED = re.compile(r"(?:\be\.g|\bi\.e|\betc|\bvs|\bcf)$", re.IGNORECASE)
_END = re.compile(r"[.!?](?= |$)")


@cache
def prose(text: str) -> Markup:
    """A description in HTML: paragraphs, lists, code and links to ``http(s)``.

    The tags are ``p``, ``ul``, ``ol``, ``li``, ``pre``, ``code``, ``a``, ``br``,
    ``strong`` and ``em``, and are balanced. Any other text is shown as it stands.
    """
    text = _shown(text)
    if godoc.is_plain(text):
        return Markup(f"<p>{_inline(text)}</p>" if text else "")
    return Markup("".join(_blocks(godoc.lines(text))))


@cache
def summary(text: str, limit: int = 160) -> str:
    """The first sentence on one line, in whole words, and no longer than ``limit``.

    It is plain text: whoever prints it has to escape it.
    """
    first = _shown(text).strip().partition("\n\n")[0]
    plain = _LEAD.sub("", _SPACES.sub(" ", first), count=1)
    plain = _LINKED.sub(r"\1", plain).replace("`", "")
    return _shortened(_first_sentence(plain), limit)


def _first_sentence(text: str) -> str:
    for end in _END.finditer(text):
        if not _ABBREVIATED.search(text, max(0, end.start() - 4), end.start()):
            return text[: end.end()]
    return text


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[:limit]
    words = cut.rpartition(" ")[0] or cut[:-1]
    return f"{words.rstrip(' ,;:.-(')}…"


def _shown(text: str) -> str:
    """``text`` without tabs, with ``\\n`` for a break, and a sign for other controls."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB)
    # A browser would hide what a terminal would obey, or turn the writing around.
    return "\n".join(map(terminal.plain, text.split("\n")))


def _blocks(lines: Iterable[godoc.Line]) -> Iterator[str]:
    """The blocks of a text, each list closed before what does not belong to it."""
    open_lists: list[tuple[str, int]] = []
    for block in _joined(lines):
        deepest = block.depth
        while len(open_lists) > deepest:
            yield f"</li></{open_lists.pop()[0]}>"
        if block.kind == "item":
            yield _item(block.marker, deepest, open_lists)
            yield _inline(block.text)
        elif block.kind == "code":
            code = dedent(block.text).rstrip().strip("\n")
            yield f"<pre><code>{escape(code)}</code></pre>" if code else ""
        elif block.kind == "heading":
            yield f"<p><strong>{_inline(block.text)}</strong></p>"
        elif block.text:
            yield f"<p>{_inline(block.text)}</p>"
    while open_lists:
        yield f"</li></{open_lists.pop()[0]}>"


def _item(marker: str, depth: int, open_lists: list[tuple[str, int]]) -> str:
    """The tags before an item's text: in the list that is open, if it goes on there.

    ``open_lists`` has the tag and the last number of each, and is changed.
    """
    tag, number = ("ol", int(marker[:-1])) if marker[:-1] else ("ul", 0)
    before = ""
    if len(open_lists) == depth:
        last = open_lists.pop()
        if last in (("ul", 0), ("ol", number - 1)) and last[0] == tag:
            open_lists.append((tag, number))
            return "</li><li>"
        before = f"</li></{last[0]}>"
    open_lists.append((tag, number))
    start = "" if number == 1 or tag == "ul" else f' start="{number}"'
    return f"{before}<{tag}{start}><li>"


def _joined(lines: Iterable[godoc.Line]) -> Iterator[godoc.Line]:
    """Blocks: every line with the text of those that go on with it."""
    texts: list[str] = []
    first: godoc.Line | None = None
    for line in lines:
        code = line.kind == "code" and first is not None and first.kind == "code"
        if first and (line.kind in ("join", "break") or code):
            texts += (" " if line.kind == "join" else "\n", line.text)
            continue
        if first:
            yield first._replace(text="".join(texts))
        first, texts = line, [line.text]
    if first:
        yield first._replace(text="".join(texts))


def _inline(text: str) -> str:
    """Text within a block: code, links and emphasis; a break is ``<br>``."""
    if not _MAY_HAVE_MARKUP.search(text):
        return _escaped(text)
    parts: list[str] = []
    end = 0
    for match in _INLINE.finditer(text):
        parts += (_escaped(text[end : match.start()]), _marked(match))
        end = match.end()
    parts.append(_escaped(text[end:]))
    return "".join(parts)


def _marked(match: re.Match[str]) -> str:
    if match["code"]:
        return f"<code>{_escaped(match['code'])}</code>"
    if match["target"]:
        return _link(match["target"], match["text"])
    if match["link"]:
        target = _trimmed(match["link"])
        return _link(target, target) + _escaped(match["link"][len(target) :])
    tag = _STRESS[match["sign"]]
    return f"<{tag}>{_escaped(match['stress'])}</{tag}>"


def _link(target: str, text: str) -> str:
    return f'<a href="{escape(target)}" rel="nofollow noreferrer">{_escaped(text)}</a>'


def _trimmed(link: str) -> str:
    """``link`` without the signs that end the sentence or the brackets around it."""
    surplus = {
        closing: link.count(closing) - link.count(opening)
        for closing, opening in _BRACKETS.items()
    }
    end = len(link)
    while end:
        last = link[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in ".,;:!?*_":
            break
        end -= 1
    return link[:end]


def _escaped(text: str) -> str:
    return str(escape(text)).replace("\n", "<br>")
