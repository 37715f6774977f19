"""Objects as an API server would store them, or in another version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    warn: Callable[[str], None],
) -> Iterator[Mapping[str, Any]]:
    """The objects in files with their defaults, or converted to the apiVersion ``to``.

    Fields have the order that they have in the files; others follow. Objects of kinds
    that ``to`` does not have stay as they are, beside some that are converted, and
    ``warn`` is told. Raises SourceError for what is no object of Kubernetes, or one that
    the server refuses, with its file, and where no object can be converted.
    """
    kept: list[str] = []
    converted = 0
    for file in find_files(paths):
        if file.reason_to_skip:
            raise UsageError(f"is not read: {file.reason_to_skip}", where=file.name)
        for item in read_manifests(file.read(), file.name):
            manifest = _manifest(item, file.name)
            where = f"{file.name}: {manifest.subject.kind} {manifest.subject.name}"
            (answer,) = validator.ask([Request(operation, manifest.value, to=to)])
            if answer.object is not None:
                converted += 1
                yield _ordered_like(
                    _without_empty_status(answer.object, manifest.value), manifest.value
                )
                continue
            subject = manifest.subject
            if to and _OTHER_KIND.search(answer.message):
                kept.append(f"{where}: {to} has no {subject.kind}")
                yield manifest.value
                continue
            is_unserved = answer.code == 404 and operation == "default"
            hint = "kubestencil convert --to APIVERSION first" if is_unserved else ""
            what = (
                f"the API server does not serve {subject.kind} of {subject.api_version}"
            )
            message = what if is_unserved else _SCHEME.sub("", answer.message)
            raise SourceError(message, where=where, hint=hint)
    if kept and not converted:
        raise SourceError(
            kept[0], hint="name a version that has the kind: --to VERSION"
        )
    for text in kept:
        warn(f"{text}, so that it stays as it is")


# What apimachinery says (pkg/runtime/scheme.go, error.go) of a kind that a version lacks.
_OTHER_KIND = re.compile(
    r"is not suitable for converting to|no kind .* is registered for"
)
_SCHEME = re.compile(r" in scheme \S+")


def _without_empty_status(
    value: Mapping[str, Any], original: Mapping[str, Any]
) -> Mapping[str, Any]:
    """An object without a status that says nothing, and that the manifest did not have."""
    if "status" in original or not _is_empty(value.get("status", {})):
        return value
    return {key: part for key, part in value.items() if key != "status"}


def _is_empty(value: Any) -> bool:
    """Whether a value is one that Go writes where nothing is set."""
    if isinstance(value, Mapping):
        return all(map(_is_empty, value.values()))
    return not value


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
