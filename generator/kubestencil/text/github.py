"""Workflow commands of GitHub Actions, which become annotations of a run.

Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.text.controls import without_controls

_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans(
    {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
)


def workflow_command(
    command: str, message: str, properties: Mapping[str, str | int]
) -> str:
    """The line of a command: ``error``, ``warning`` or ``notice``."""
    listed = ",".join(
        f"{key}={without_controls(str(value)).translate(_IN_PROPERTY)}"
        for key, value in properties.items()
    )
    text = without_controls(message).translate(_IN_MESSAGE)
    return f"::{command} {listed}::{text}"
