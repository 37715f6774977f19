"""What the arguments of methods mean, for ``help()``."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.schema.operations.details import OperationParameter
from kubestencil.schema.operations.parameter_descriptions import PARAMETER_DESCRIPTIONS
from kubestencil.text.html import summary
from kubestencil.text.languages import python_literal


class ArgumentText(NamedTuple):
    """What an argument means: its name, and a text as a literal of Python."""

    name: str
    text: str


class ArgumentTexts:
    """Collects what the arguments of all methods mean."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, argument: str, parameter: OperationParameter) -> None:
        """Add an argument, unless it is there, or the document does not describe it."""
        text = PARAMETER_DESCRIPTIONS.get(parameter.name) or summary(
            parameter.description
        )
        if text:
            self._texts.setdefault(argument, text)

    def sorted(self) -> tuple[ArgumentText, ...]:
        """All arguments that have a text."""
        return tuple(
            ArgumentText(python_literal(name), python_literal(text))
            for name, text in sorted(self._texts.items())
        )
