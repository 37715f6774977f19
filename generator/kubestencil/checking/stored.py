"""Objects as an API server would store them, or in another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import (
    Item,
    Manifest,
    Mistake,
    read_manifests,
)
from kubestencil.errors import SourceError, UsageError
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request


def results(
    paths: Sequence[str],
    operation: Literal["default", "convert"],
    validator: Validator,
    *,
    to: str = "",
) -> Iterator[Mapping[str, Any]]:
    """The objects in files with their defaults, or converted to the apiVersion ``to``.

    Fields have the order that they have in the files; others follow. Raises SourceError
    for what is no object of Kubernetes, or one that the server refuses, with its file.
    """
    for file in find_files(paths):
        if file.reason_to_skip:
            raise UsageError(f"is not read: {file.reason_to_skip}", where=file.name)
        for item in read_manifests(file.read(), file.name):
            manifest = _manifest(item, file.name)
            where = f"{file.name}: {manifest.subject.kind} {manifest.subject.name}"
            (answer,) = validator.ask([Request(operation, manifest.value, to=to)])
            if answer.object is None:
                is_unserved = answer.code == 404 and operation == "default"
                hint = (
                    "kubestencil convert --to APIVERSION first" if is_unserved else ""
                )
                raise SourceError(answer.message, where=where, hint=hint)
            yield _ordered_like(answer.object, manifest.value)


def _manifest(item: Item, file: str) -> Manifest:
    if isinstance(item, Manifest):
        if item.is_encrypted:
            where = f"{file}: {item.subject.kind} {item.subject.name}"
            hint = "decrypt it first: sops decrypt FILE | kubestencil default -"
            raise SourceError("is encrypted", where=where, hint=hint)
        return item
    if isinstance(item, Mistake):
        where = f"{file}:{item.at.line}:{item.at.column}"
        raise SourceError(item.problem.message, where=where, hint=item.problem.hint)
    document = item.subject.document
    raise SourceError(f"document {document} has {item.reason}", where=file)


def _ordered_like(value: Any, original: Any) -> Any:
    """A value whose keys have the order of those in ``original``; others follow."""
    if isinstance(value, Mapping) and isinstance(original, Mapping):
        keys = [*(key for key in original if key in value), *value]
        return {
            key: _ordered_like(value[key], original.get(key))
            for key in dict.fromkeys(keys)
        }
    if isinstance(value, list) and isinstance(original, list):
        others = [None] * (len(value) - len(original))
        return [
            _ordered_like(item, other)
            for item, other in zip(value, [*original, *others], strict=False)
        ]
    return value
