"""The errors of data that a model does not take."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Problem(NamedTuple):
    """Where something is wrong (``spec.containers[0].name``), and what."""

    path: str
    text: str


class ModelError(ValueError):
    """Data that are not what a model holds; ``problems`` has all of them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(
            f"{path}: {text}" if path else text for path, text in self.problems
        )


def required_error(model: Any, name: str) -> ModelError:
    """The error of an attribute of a class that may not be None."""
    text = f"required in {model.__name__}, must not be None"
    return ModelError([Problem(name, text)])
