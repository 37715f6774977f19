"""The table ``unreadable-kinds``: removed kinds that a release cannot even read from etcd,
since ``register.go`` of their group and version in k8s.io/api does not have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubestencil.schema.knowledge.kinds import removed_kinds
from specs.make.checkouts import Checkout
from specs.make.go_types import group_of

_KIND = re.compile(r"&(\w+)\{\}")


def make_rows(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """The rows of the table for a release."""
    readable: set[tuple[str, str, str]] = set()
    groups: set[str] = set()
    for path in checkout.module("api").glob("*/v*/register.go"):
        group = group_of(path.parent)
        if group is not None:
            groups.add(group)
            kinds = _KIND.findall(path.read_text("utf-8"))
            readable.update((group, path.parent.name, kind) for kind in kinds)
    for kind in removed_kinds(checkout.release):
        # Those of other groups are in other modules.
        if kind.group in groups and kind not in readable:
            yield kind.api_version, kind.kind
