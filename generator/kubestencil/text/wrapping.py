"""Long lines, broken at spaces."""

from __future__ import annotations


def wrap(text: str, width: int = 80) -> str:
    """Lines of up to ``width`` characters; line breaks and indentation stay.

    What continues an indented line is indented like it. A word that is longer than
    ``width`` is not broken.
    """
    return "\n".join(
        piece for line in text.split("\n") for piece in _pieces(line, width)
    )


def _pieces(line: str, width: int) -> list[str]:
    words = line.lstrip(" ")
    if len(line) > width:
        # A deeper margin would be repeated in each piece, and leave no room for words.
        line = " " * min(len(line) - len(words), width // 2) + words
    margin = " " * (len(line) - len(words))
    pieces: list[str] = []
    while len(line) > width:
        cut = line.rfind(" ", len(margin) + 1, width + 1)
        if cut < 0:
            cut = line.find(" ", max(width, len(margin) + 1))
        rest = line[cut + 1 :].lstrip(" ")
        if cut < 0 or not rest:
            break
        pieces.append(line[:cut].rstrip(" "))
        line = margin + rest
    return [*pieces, line]
