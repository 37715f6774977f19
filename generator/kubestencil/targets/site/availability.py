"""Looks up in which releases types, groups and versions are available."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from kubestencil.schema.kinds import precedence
from kubestencil.targets.site.addresses import PageAddress, page_address
from kubestencil.targets.site.release_context import ReleasesByType


class Availability:
    """An index of ``ReleasesByType`` by kind, group and version."""

    def __init__(self, releases_by_type: ReleasesByType) -> None:
        self._releases_by_type = releases_by_type
        self._by_kind: dict[str, list[PageAddress]] = {}
        self._by_group_and_kind: dict[tuple[str, str], list[PageAddress]] = {}
        by_prefix: dict[str, set[str]] = {}
        for path, releases in releases_by_type.items():
            address = page_address(path)
            self._by_kind.setdefault(address.kind, []).append(address)
            self._by_group_and_kind.setdefault(
                (address.group, address.kind), []
            ).append(address)
            for prefix in (address.group, address.group_version):
                by_prefix.setdefault(prefix, set()).update(releases)
        self._by_path: Mapping[str, frozenset[str]] = {
            path: frozenset(releases)
            for path, releases in (*releases_by_type.items(), *by_prefix.items())
        }
        for addresses in chain(
            self._by_kind.values(), self._by_group_and_kind.values()
        ):
            if len(addresses) > 1:
                addresses.sort(key=lambda address: precedence(address.version))

    def releases(self, path: str) -> frozenset[str]:
        """The releases that have a type, a group (``apps``) or a group and version
        (``apps/v1``)."""
        return self._by_path[path]

    def versions(self, address: PageAddress) -> Sequence[PageAddress]:
        """The types of the same kind and group in any release, the most stable
        version last."""
        return self._by_group_and_kind[address.group, address.kind]

    def preferred_version(
        self, address: PageAddress, release: str
    ) -> PageAddress | None:
        """The most stable of these types that ``release`` has, if any."""
        return next(
            (
                version
                for version in reversed(self.versions(address))
                if release in self._releases_by_type[version.path]
            ),
            None,
        )

    def replacements(self, path: str, release: str) -> tuple[str, ...]:
        """The paths of the types with the same name that ``release`` has, best first:
        other versions of the group, or without any, types of other groups."""
        address = page_address(path)
        candidates = [
            candidate
            for candidate in self._by_kind[address.kind]
            if release in self._releases_by_type[candidate.path]
        ]
        same_group = [
            candidate for candidate in candidates if candidate.group == address.group
        ]
        return tuple(candidate.path for candidate in reversed(same_group or candidates))
