"""The table ``changed-fields``: fields that types got or lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specs.make.checkouts import Checkout


def make_rows(
    checkout: Checkout, former: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release, which continue those of its base."""
    changes = {
        (definition, field): (added, removed)
        for definition, field, added, removed in former
    }
    release = checkout.minor_version
    before, after = (each.document["definitions"] for each in (checkout.base, checkout))
    for name in before.keys() & after.keys():
        earlier = before[name].get("properties", {}).keys()
        later = after[name].get("properties", {}).keys()
        for field in later - earlier:
            # A field that comes back counts from then on.
            changes[name, field] = release, ""
        for field in earlier - later:
            changes[name, field] = changes.get((name, field), ("", ""))[0], release
    return ((*key, *releases) for key, releases in changes.items())
