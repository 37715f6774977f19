"""Leaves out the CustomResourceDefinitions that are refused, so that others are rendered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kubestencil.build.parsed import parse_all
from kubestencil.errors import SpecError
from kubestencil.source import Source


class Refused(NamedTuple):
    """A file or an object that cannot be read, and why. ``value`` is the object."""

    errors: tuple[SpecError, ...]
    value: Mapping[str, Any] | None


def leave_out_refused(
    sources: Iterable[Source],
) -> tuple[list[Source], dict[str, Refused]]:
    """``sources`` without the CustomResourceDefinitions that cannot be read, and these by
    where they are. The releases are parsed, and kept.

    Raises SpecError for any other error, and where none can be read.
    """
    refused: dict[str, Refused] = {}
    return [_without_refused(source, refused) for source in sources], refused


def _without_refused(source: Source, refused: dict[str, Refused]) -> Source:
    """``source`` without what cannot be read, which is added to ``refused``."""
    # Most runs have none.
    from kubestencil.schema.custom_resources.definitions import (
        InvalidCrdsError,
        decode_crds,
    )

    # What is wrong can often be found only without what was wrong before.
    while source.crds is not None:
        try:
            parse_all([source])
        except InvalidCrdsError as error:
            places = {where for where, _ in error.errors}
            try:
                objects, _ = decode_crds(source.crds)
            except InvalidCrdsError:  # Files cannot be read.
                objects = ()
            values = {crd.where: crd.value for crd in objects}
            if values.keys() == places or places <= source.crds.refused:
                raise
            for place in places:
                errors = tuple(
                    reason for where, reason in error.errors if where == place
                )
                refused[place] = Refused(errors, values.get(place))
            source = replace(
                source,
                crds=replace(source.crds, refused=source.crds.refused | places),
            )
        else:
            break
    return source
