"""Texts that try to leave the place where they are written, and plain ones beside them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

#: What a text of a document must never do. The name is looked for in ``builtins``.
CANARY = "kubestencil_ran_text_of_a_document"
_RUN = f"__import__('builtins').{CANARY}=1"

#: Texts without markup of Markdown, whose HTML has the elements of a plain text.
_HTML = (
    "<script>alert(1)</script>", "</td></tr></table>", '"><img src=x onerror=y>',
    "' onmouseover='y", "<!-- x", "--> x", "</template></details>", "]]>x", "<svg/onload=y>",
    "<a href=javascript:y>x</a>", "&lt;b&gt; &#60;b&#62; &amp;", "</code></pre></li></ul>",
    "<b>x</b>", "<xml:x>", "</title></head>", "<style>x{}</style>", "<base href=//x>",
    "<meta http-equiv=refresh>", "<iframe srcdoc=x>", "\u2028\u202e\ufeff", "${x} #{x} $x",
)  # fmt: skip
#: Texts that several languages read as more than text.
_CODE = (
    f'"""\n{_RUN}\n"""', f"'''\n{_RUN}\n'''", f"\\\n{_RUN}", f"\n{_RUN}\n", f"\r{_RUN}\r",
    f'", {_RUN}, "', f"', {_RUN}, '", f'\\", {_RUN}, "', f"\\N{{BULLET}}{_RUN}", f"{{{_RUN}}}",
    f"f'{{{_RUN}}}'", f"\u2028{_RUN}", f"\x0c{_RUN}", f"# x\n{_RUN}", f"\x85{_RUN}",
    "*/ fn x() {} /*", "/* /* */", "// x\nfn x() {}", '"# ; fn x() {} r#"', "'a", "b'x'",
    "*/ export const x: = 1; /*", "`${x}`", "`", "|||\n x\n|||", "'; error 'x", "+ std.x",
    "{{ 1/0 }}", "{% raw %}", "{# x", "%(x)s %d %", "\\u{110000}", "\\x", "\\", "'", '"',
    "../../x", "/etc/passwd", "C:\\x", "a\0b", "con", "\ud800", "\u200b", "\U0010ffff", "",
    "---\nx: y", "&a *a !!x", "- x\n- y", "x: y", "\tx", "=HYPERLINK(1)", "::error::x", "$(x)",
    "\x1b[31m", "\x1b]0;x\x07", "]( javascript:y", "[x](javascript:y)", "![x](data:x)",
    "```\nx", "~~~", "| x | y |", "# x", "1. x", "> x", "<x@y.z>", "[x]: javascript:y",
    "Deprecated: <b>", "**x", "__init__", "class", "None", "self", "type", "mod", "r#x",
)  # fmt: skip
_WORDS = ("apple", "stone", "river", "cloud", "table", "green", "paper", "house")
# What keeps its character in a plain text: the words and sentences stay the same.
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 .]")


class Texts:
    """Random texts; the same ones for the same ``source``.

    With ``html_only`` they have no Markdown markup; with ``plain`` there are harmless
    ones in their place, of the same words.
    """

    def __init__(
        self, source: random.Random, *, html_only: bool = False, plain: bool = False
    ) -> None:
        self.source = source
        self.pool: Sequence[str] = _HTML if html_only else (*_HTML, *_CODE)
        self.plain = plain

    def text(self) -> str:
        """One or more hostile texts, with words between them."""
        parts = [
            self.source.choice(self.pool if self.source.random() < 0.7 else _WORDS)
            for _ in range(self.source.choice((1, 1, 2, 4)))
        ]
        return self._made_plain(self.source.choice((" ", "", ". ")).join(parts))

    def name(self) -> str:
        """A hostile text that is no other name in its document."""
        return self._made_plain(
            f"f{self.source.randrange(10**6)}{self.source.choice(self.pool)}"
        )

    def _made_plain(self, text: str) -> str:
        return _NOT_PLAIN.sub("x", text) if self.plain else text
