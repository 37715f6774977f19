"""Control characters and commands: text from documents and file names can move no cursor,
begin no control sequence, not change the direction of the text around it, and is no
command to a system of continuous integration that reads its log."""

from __future__ import annotations

import re

# Characters that move the cursor, begin a control sequence, or change the direction of
# text; bytes of file names that are no text; and what XML and HTML cannot have.
_CONTROLS = r"\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff"
_CONTROL = re.compile(f"[\\x00-\\x1f{_CONTROLS}]")
_CONTROL_OF_JSON = re.compile(f"[{_CONTROLS}]")
_BREAKS = re.compile(r"[\t\r\n]+")
# What is in front of the place to break a command of GitHub Actions, which is at the
# start of a line or, as in Azure Pipelines, anywhere (actions/runner, ActionCommand.cs).
_COMMAND = re.compile(r"^\s*:(?=:[a-z-]+(?: .*)?::)|#(?=#(?:vso)?\[)", re.IGNORECASE)


def replace_controls(text: str) -> str:
    """``text`` with U+FFFD for each control character, line breaks and tabs included."""
    return _CONTROL.sub("\ufffd", text)


def one_line(text: str) -> str:
    """``text`` on one line, with U+FFFD for each control character and a backslash in
    each command."""
    if not text.isprintable():
        text = replace_controls(_BREAKS.sub(" ", text))
    if "::" in text or "##" in text:
        return _COMMAND.sub(r"\g<0>\\", text)
    return text


def without_controls(text: str) -> str:
    """``text`` with its line breaks; each line as ``one_line`` has it."""
    return "\n".join(map(one_line, text.split("\n")))


def escape_json(text: str) -> str:
    """JSON with escapes for the control characters that its strings may have as such."""
    return _CONTROL_OF_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
