"""Manifests: files with objects of many kinds, in YAML or JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

from ._base import Model, with_kind
from ._errors import ModelError, Problem
from ._values import model_for as model_for
from ._writing import plain

#: A model, or a dict of JSON values where this package has no model.
Object: TypeAlias = Model | dict[str, Any]


def load(
    source: str | bytes | Path | IO[str] | IO[bytes], *, strict: bool = False
) -> list[Object]:
    """The objects in a manifest: a text, a path or an open file.

    The manifest is YAML, of one document or more, or JSON. The class of an object
    is found by its apiVersion and kind; an object of a kind that Kubernetes does
    not have stays a dict. In place of a List are its items.

    With ``strict`` an unknown kind or field is refused. Raises ModelError with the
    path of everything that is wrong; a path begins with the document's number,
    ``[1].spec.replicas``, where there are several.
    """
    documents = [each for each in _documents(_text(source)) if each is not None]
    several = len(documents) > 1
    return [
        found
        for number, each in enumerate(documents)
        for found in _objects(each, f"[{number}]" if several else "", strict)
    ]


def dump(objects: Object | Iterable[Object]) -> str:
    """One object or more as YAML, each in a document of its own."""
    from ._yaml import dump_all

    return dump_all([plain(with_kind(each)) for each in _several(objects)])


def dump_json(objects: Object | Iterable[Object]) -> str:
    """One object or more as JSON, one after the other, as kubectl takes them."""
    texts = (json.dumps(plain(with_kind(each)), indent=2) for each in _several(objects))
    return "".join(f"{text}\n" for text in texts)


def _several(objects: Object | Iterable[Object]) -> list[Any]:
    return [objects] if isinstance(objects, Model | dict) else list(objects)


def _text(source: str | bytes | Path | IO[str] | IO[bytes]) -> str | bytes:
    if isinstance(source, str | bytes):
        return source
    return source.read_bytes() if isinstance(source, Path) else source.read()


def _documents(text: str | bytes) -> list[Any]:
    """The documents in a text, which is JSON if it begins like a JSON object."""
    start = text.lstrip()[:1]
    if start in ("{", b"{"):
        try:
            return list(_json_documents(text))
        except ValueError:
            pass  # YAML, too, may begin with a brace
    import yaml

    from ._yaml import load_all

    try:
        return load_all(text)
    except yaml.YAMLError as error:
        raise ModelError([Problem("", f"not YAML: {error}")]) from None
    except (RecursionError, UnicodeError, ValueError) as error:
        raise ModelError([Problem("", f"cannot be read: {error}")]) from None


def _json_documents(text: str | bytes) -> Iterator[Any]:
    rest = (text if isinstance(text, str) else text.decode()).strip()
    decoder = json.JSONDecoder()
    while rest:
        value, end = decoder.raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


def _objects(raw: Any, path: str, strict: bool) -> Iterator[Object]:
    """An object, or the items of a List, at a path."""
    if not isinstance(raw, Mapping):
        problem = f"expected object, got {type(raw).__name__}"
        raise ModelError([Problem(path, problem)])
    items = raw.get("items")
    if (raw.get("apiVersion"), raw.get("kind")) != ("v1", "List") or not isinstance(
        items, list
    ):
        yield _object(raw, path, strict)
        return
    for number, each in enumerate(items):
        yield from _objects(each, f"{path}{'.' if path else ''}items[{number}]", strict)


def _object(raw: Mapping[str, Any], path: str, strict: bool) -> Object:
    api_version, kind = raw.get("apiVersion"), raw.get("kind")
    model = (
        model_for(api_version, kind)
        if isinstance(api_version, str) and isinstance(kind, str)
        else None
    )
    if model is None:
        if strict:
            problem = f"no model for kind {kind!r} of {api_version!r}"
            raise ModelError([Problem(path, problem)])
        return dict(raw)
    try:
        return model.from_dict(raw, strict=strict)
    except ModelError as error:
        raise ModelError(
            Problem(".".join(filter(None, (path, below))), text)
            for below, text in error.problems
        ) from None
