"""How a target spells Python: its table ``[spelling]``."""

from __future__ import annotations

from kubestencil.engine.manifest import Target
from kubestencil.targets.python.names import ACRONYMS, Spelling


def spelling(target: Target) -> Spelling:
    """How ``target`` spells names: the keys of the table are the fields of
    ``kubestencil.targets.python.names.Spelling``.

    Raises TargetError for anything else in the table.
    """
    given = dict(target.spelling)
    found = Spelling(
        acronyms=given.pop("acronyms", "split"),
        reserved_prefix=given.pop("reserved_prefix", "_"),
        mapped=given.pop("mapped", {}),
        reserved=frozenset(given.pop("reserved", ())),
        reserved_classes=frozenset(given.pop("reserved_classes", ())),
    )
    if found.acronyms not in ACRONYMS:
        raise target.error(f"must be one of {ACRONYMS}", "spelling.acronyms")
    for key in given:
        raise target.error("is nothing that this view spells", f"spelling.{key}")
    return found
