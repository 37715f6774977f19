"""The options of the targets that make a Jsonnet library, or pages about one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class JsonnetOptions:
    """The options of the views ``jsonnet`` and ``jsonnet-docs``.

    ``name`` and ``description`` are those of the library, ``repository`` is where it is
    imported from. ``overlay`` is a folder of files that extend it, or "default", or
    empty. ``prefix`` is a regular expression that the full names of its types match.
    ``custom_resources`` says whether the builders of custom resources have the quirks
    of the target.
    """

    name: str
    description: str
    repository: str
    overlay: str
    prefix: str
    custom_resources: Literal["correct", "k8s-gen"]
