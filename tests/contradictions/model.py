"""What is compared: contradictions."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: ``verdict`` contradicts the servers, ``fact`` is told in two ways, and ``gap`` is what
#: tables do not find: they say how far they know.
Group = Literal["verdict", "fact", "gap"]


class Contradiction(NamedTuple):
    """An answer that contradicts another one. ``kind`` says how, ``where`` names the object
    or the field, ``detail`` has both answers."""

    group: Group
    kind: str
    where: str
    detail: str
