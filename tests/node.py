"""Runs JavaScript with Node.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest


def run_program(program: str, problem: Any) -> Any:
    """The JSON that ``program`` writes, for the JSON ``problem`` that it reads; the test
    is skipped without Node.js."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    done = subprocess.run(
        [node, "-e", program],
        input=json.dumps(problem),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
