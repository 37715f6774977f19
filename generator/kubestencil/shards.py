"""Shards: parts of a run that machines do independently of each other."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from kubestencil.errors import UsageError

_SHARD = re.compile(r"(\d{1,5})/(\d{1,5})\Z", re.ASCII)


class Shard(NamedTuple):
    """One of ``total`` shards of a run; ``number`` is from 1 to ``total``.

    Everything is of exactly one shard, by a hash of its name: on all machines, and
    whatever else there is.
    """

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def has(self, name: str) -> bool:
        """Whether what has a name is of this shard."""
        if self.total == 1:
            return True
        digest = hashlib.sha256(name.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8]) % self.total == self.number % self.total


#: The only shard of a run that is not divided.
WHOLE = Shard(1, 1)


def read_shard(text: str) -> Shard:
    """The shard that a text names: ``3/16``. As the engines that count from 0 have no 16,
    0/16 is that one. Raises UsageError for any other text."""
    match = _SHARD.match(text)
    number, count = map(int, match.groups()) if match else (1, 0)
    if number > count or count == 0:
        raise UsageError(
            f"{text!r} is no shard",
            where="--shard",
            hint="write I/N, I from 1 to N, or from 0 to N-1: 3/16",
        )
    return Shard(number or count, count)
