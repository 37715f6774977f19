"""A ``kubectl`` that answers from a folder, for tests without an API server."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PROGRAM = """#!{python}
import json, sys
from urllib.parse import urlsplit

answers = json.load(open({answers!r}))
path = urlsplit(sys.argv[2].removeprefix("--raw=")).path
if path not in answers:
    sys.exit("Error from server (NotFound): " + path)
answer = answers[path]
print(answer if isinstance(answer, str) else json.dumps(answer))
"""


def install(folder: Path, answers: Mapping[str, Any]) -> None:
    """Write the program to a folder, which is to be in PATH; ``answers`` are what it
    prints of each path."""
    file = folder / "answers.json"
    file.write_text(json.dumps(answers))
    program = folder / "kubectl"
    program.write_text(_PROGRAM.format(python=sys.executable, answers=str(file)))
    program.chmod(0o755)
