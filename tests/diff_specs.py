"""The specs that the tests of the diff run on, and documents made up for one."""

from __future__ import annotations

import json
import os
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from generator.model import Release, parse
from generator.source import Source, locate

RELEASES = ("1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
PAIRS = tuple(combinations(RELEASES, 2))
_FOLDER = os.environ.get("KUBESTENCIL_SPECS")


@cache
def embedded(name: str) -> Release:
    """A release as the embedded package has it."""
    return parse(locate(name, None))


@cache
def release(name: str) -> Release:
    """A release from the folder that KUBESTENCIL_SPECS names, else embedded."""
    return parse(locate(name, Path(_FOLDER) if _FOLDER else None))


def document(definitions: dict[str, Any], name: str = "made-up") -> Release:
    """A release that has these definitions."""
    return parse(
        Source(name, f"{name}.json", swagger(definitions).encode("utf-8", "replace"))
    )


def swagger(definitions: dict[str, Any]) -> str:
    """The text of a document with these definitions."""
    return json.dumps(
        {
            "swagger": "2.0",
            "info": {"title": "made up", "version": "1"},
            "paths": {},
            "definitions": definitions,
        }
    )


def pod(**fields: Any) -> dict[str, Any]:
    """Definitions with one kind, v1 Pod, that has these fields."""
    return {
        "io.k8s.api.core.v1.Pod": {
            "type": "object",
            "properties": fields,
            "x-kubernetes-group-version-kind": [
                {"group": "", "version": "v1", "kind": "Pod"}
            ],
        }
    }
