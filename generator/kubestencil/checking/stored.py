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
from kubestencil.checking.findings import Subject
from kubestencil.checking.verdicts import message_of
from kubestencil.checking.verdicts.internal_paths import as_written
from kubestencil.errors import SourceError, UsageError
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request


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
    that ``to`` or the server does not have stay as they are, beside some others, and
    ``warn`` is told. Raises SourceError for what is no object of Kubernetes, or one that
    the server refuses, with its file, and where all objects would stay as they are.
    """
    kept: list[SourceError] = []
    has_changed = False
    for file in find_files(paths):
        if file.reason_to_skip:
            raise UsageError(f"is not read: {file.reason_to_skip}", where=file.name)
        for item in read_manifests(file.read(), file.name):
            manifest = _manifest(item, file.name)
            (answer,) = validator.ask([Request(operation, manifest.value, to=to)])
            if answer.object is not None:
                has_changed = True
                yield _ordered_like(
                    _without_empty_status(answer.object, manifest.value), manifest.value
                )
                continue
            where = f"{file.name}: {manifest.subject.kind} {manifest.subject.name}"
            error = _unknown_kind(answer, manifest.subject, where, to)
            if error is None:
                raise SourceError(_refusal(answer, manifest.value), where=where)
            kept.append(error)
            yield manifest.value
    if kept and not has_changed:
        raise kept[0]
    for error in kept:
        warn(f"{error.where}: {error.what}, so that it stays as it is")


def _refusal(answer: Answer, value: Mapping[str, Any]) -> str:
    """What a server says of an object that it refuses, without the name of this."""
    causes = sorted({as_written(cause, value) for cause in answer.causes})
    return "; ".join(map(message_of, causes)) or _SCHEME.sub("", answer.message)


def _unknown_kind(
    answer: Answer, subject: Subject, where: str, to: str
) -> SourceError | None:
    """The error of an object of a kind that the server or ``to`` does not have; None where
    it is not that."""
    if to and _OTHER_KIND.search(answer.message):
        hint = "name a version that has the kind: --to VERSION"
        return SourceError(f"{to} has no {subject.kind}", where=where, hint=hint)
    if answer.code == 404:
        what = f"the API server does not serve {subject.kind} of {subject.api_version}"
        hint = (
            "--release names one that does, --crds the definition of a custom resource"
            if to
            else "kubestencil convert --to APIVERSION first, or name the definition of a "
            "custom resource (--crds)"
        )
        return SourceError(what, where=where, hint=hint)
    return None


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
