"""Several programs of one release that are asked at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from kubestencil.validator.process import Validator

Item = TypeVar("Item")
Result = TypeVar("Result")

#: How many programs of a release there are.
WORKERS = os.cpu_count() or 1


def in_parallel(
    validators: Sequence[Validator],
    ask: Callable[[Validator, Item], Result],
    items: Iterable[Item],
) -> Iterator[Result]:
    """What is answered about each item, in their order; each program is asked about one
    at a time."""
    free: SimpleQueue[Validator] = SimpleQueue()
    for validator in validators:
        free.put(validator)

    def ask_next(item: Item) -> Result:
        validator = free.get()
        try:
            return ask(validator, item)
        finally:
            free.put(validator)

    with ThreadPoolExecutor(len(validators)) as threads:
        yield from threads.map(ask_next, items)
