"""Validators that answer what a test says, for tests without Go."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from kubestencil.validator.binaries import binary_path, this_platform

_PROGRAM = """#!{python}
import json, sys
answers = json.loads({answers!r})
for line in sys.stdin:
    request = json.loads(line)
    if request["operation"] == "version":
        answer = {{"code": 200, "release": {version!r}}}
    else:
        name = (request.get("object") or {{}}).get("metadata", {{}}).get("name", "")
        answer = answers.get(request["operation"] + " " + name, answers.get(name))
        answer = answer or {{"code": 201}}
    if answer == "end":
        break
    print(json.dumps(answer), flush=True)
"""


def install(release: str, answers: Mapping[str, Any]) -> None:
    """Write the program of a release to the folder KUBESTENCIL_VALIDATORS. It accepts all
    objects but those whose names ``answers`` has, also behind an operation (``update
    a``); ``end`` ends the program."""
    path = binary_path(f"{release}.0", this_platform())
    path.parent.mkdir(parents=True)
    path.write_text(
        _PROGRAM.format(
            python=sys.executable, answers=json.dumps(answers), version=f"{release}.0"
        )
    )
    path.chmod(0o755)
