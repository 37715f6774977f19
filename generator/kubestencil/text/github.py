"""Workflow commands of GitHub Actions, which become annotations of a run.

Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

from kubestencil.text.controls import without_controls

_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans(
    {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
)


def workflow_command(message: str, command: str, **properties: str | int) -> str:
    """A command of GitHub Actions that shows a message beside a line or at a run:
    ``workflow_command("error", file=path, line=1, title="…")``."""
    listed = ",".join(
        f"{key}={without_controls(str(value)).translate(_IN_PROPERTY)}"
        for key, value in properties.items()
    )
    text = without_controls(message).translate(_IN_MESSAGE)
    return f"::{command} {listed}::{text}"
