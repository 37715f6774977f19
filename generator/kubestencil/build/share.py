"""Which trees a run makes, where several machines make those of one output folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubestencil.engine import Part
from kubestencil.errors import OutputError
from kubestencil.shards import WHOLE, Shard

_MAX_NAMED = 20


class Share(NamedTuple):
    """What a run makes: all trees, those of a ``shard`` that are made of one release, or,
    where it is the ``last`` run, those that are made of several, behind all shards."""

    shard: Shard = WHOLE
    is_last: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the run makes all trees."""
        return not self.is_last and self.shard.total == 1

    @property
    def has_joint_trees(self) -> bool:
        """Whether the run makes the trees of several releases, and removes those that a
        target no longer has."""
        return self.is_last or self.is_whole

    def skips(self, name: str) -> bool:
        """Whether a tree of one release is of no interest: other runs make it. The last
        run makes none, but needs all."""
        return not self.is_last and not self.shard.has(name)

    def skips_part(self, name: str, part: Part) -> bool:
        """The same of a tree of a target of scope ``releases``."""
        return self.skips(name) if is_of_one(part) else not self.has_joint_trees


#: That of a run that is not divided.
ALL_TREES = Share()


def is_of_one(part: Part) -> bool:
    """Whether a part is one of a release, and not what covers all of them."""
    return bool(part.name) and len(part.releases) == 1


def require_trees(missing: Sequence[str], out: str) -> None:
    """Raise OutputError where trees are not there that shards should have made."""
    if missing:
        more = len(missing) - _MAX_NAMED
        others = f" and {more} more" if more > 0 else ""
        raise OutputError(
            f"{len(missing)} trees of shards are missing or out of date: "
            f"{', '.join(missing[:_MAX_NAMED])}{others}",
            where=out,
            hint="run the shards again that did not finish, with the same options, then "
            "kubestencil render --finish",
        )
