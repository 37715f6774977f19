"""Places in a text as an editor counts them: columns in units of an encoding."""

from __future__ import annotations

from lsprotocol import types

from kubestencil.source.yaml import split_lines

# The codec of each encoding, and the bytes of a unit.
_ENCODINGS: dict[str, tuple[str, int]] = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class Lines:
    """The lines of a text, with rows and columns from 0."""

    def __init__(self, text: str, encoding: str) -> None:
        self.texts = split_lines(text)
        self._codec, self._unit = _ENCODINGS[encoding]
        # Of the last place its row, column and units before it: places that follow each
        # other on a long line are counted once.
        self._last = (0, 0, 0)

    def to_client(self, row: int, column: int) -> types.Position:
        """A place, for which ``column`` is in characters, as the editor counts it."""
        line = self.texts[row] if row < len(self.texts) else ""
        column = min(column, len(line))
        last_row, start, units = self._last
        if row != last_row or column < start:
            start = units = 0
        units += len(self._encoded(line[start:column])) // self._unit
        self._last = row, column, units
        return types.Position(row, units)

    def from_client(self, position: types.Position) -> tuple[int, int]:
        """The row and column of a place; of one outside of the text, the nearest."""
        row = min(max(position.line, 0), len(self.texts) - 1)
        units = max(position.character, 0) if position.line == row else 0
        start = self._encoded(self.texts[row])[: units * self._unit]
        return row, len(start.decode(self._codec, "ignore"))

    def _encoded(self, text: str) -> bytes:
        # Editors may send lone surrogates.
        return text.encode(self._codec, "surrogatepass")
