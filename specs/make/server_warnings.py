"""The table ``warnings``: what the API server of a release accepts, and warns of.

The program of a release is asked. Of the keys of annotations and labels, all that sources
of Kubernetes have as texts are set at once, and warnings say which are meant; of fields and
values, all values of enums are set in objects that are accepted. Sentences are not kept:
what a warning says is the place, a release and a name to use instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.paths import Path as Steps
from kubestencil.checking.paths import value_at
from kubestencil.checking.verdicts.internal_paths import located
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.knowledge.warnings import NODE_LABELS, POD_ANNOTATIONS
from kubestencil.schema.types import Release
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.asking.objects import positions, replaced
from specs.make.asking.pool import Objects, accepted_objects, seed_objects
from specs.make.checkouts import Checkout, go_sources
from specs.make.documents import parsed_document
from specs.make.progress import report

#: Definition, field, key or value, unless, since, instead.
Row = tuple[str, str, str, str, str, str]

_FOLDERS = {
    "api": ("*/v*",),
    "kubernetes": ("pkg/api", "pkg/apis", "pkg/registry", "pkg/controller"),
}
_KEY = re.compile(r'["`]((?:[a-z0-9-]+\.)+[a-z0-9-]+/[\w.-]*)["`]')
_ANNOTATIONS = ("metadata", "annotations")
_TEMPLATE = ("spec", "template")
# What some annotations may be.
_VALUE = "unconfined"
# The name of the container that keys end with.
_CONTAINER = "a"
_SECURITY = ("securityContext",)
_DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "a"},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": _CONTAINER, "image": "a"}]},
        },
    },
}
_WORDS = ("non-functional", "deprecated")
_SINCE = re.compile(r"(?:non-functional in|deprecated (?:since|in)) v?(\d+\.\d+)")
_INSTEAD = re.compile(
    r"""(?:use|prefer) (?:the )?(?:["']([^"']+)["']|([\w-]+[./][\w./-]+)"""
    r"|(Taints and Tolerations|separate namespaces))"
)
_PATH = re.compile(r"[a-z]\w*(?:\.\w+|\[[^\]]*\])+")
_ROUNDS = 40
# How many objects of a kind get keys: some keys are refused in some of them.
_OBJECTS = 12


class _Said(NamedTuple):
    """What a warning says, besides the place: a release, and what to use instead."""

    since: str
    instead: str

    @classmethod
    def of(cls, warning: str) -> _Said | None:
        """None for a warning of something else than that it is on its way out."""
        since, instead = _SINCE.search(warning), _INSTEAD.search(warning)
        if not instead and not any(word in warning for word in _WORDS):
            return None
        return cls(
            since[1] if since else "",
            next(filter(None, instead.groups())) if instead else "",
        )


def ask_tables(checkout: Checkout) -> dict[str, list[Row]]:
    """The rows of a release, by asking its program."""
    release = parsed_document(checkout)
    with Validator(require_binary(checkout.release)) as validator:
        objects = accepted_objects(release, validator, seed_objects())
        rows = {*_keys(release, validator, objects, _candidates(checkout))}
        report(f"{checkout.release}: keys")
        rows.update(_fields(release, validator, objects))
    return {"warnings": sorted(rows)}


def _candidates(checkout: Checkout) -> list[str]:
    """The texts of sources that look like keys of annotations and labels; those that end
    in a slash are completed with the name of a container."""
    keys = {
        key
        for module, folders in _FOLDERS.items()
        for folder in folders
        for root in checkout.module(module).glob(folder)
        for source in go_sources(root)
        for key in _KEY.findall(source)
    }
    return sorted(keys)


def _keys(
    release: Release, validator: Validator, objects: Objects, keys: Sequence[str]
) -> Iterator[Row]:
    places: list[tuple[str, Any, Steps]] = [
        (POD_ANNOTATIONS, _DEPLOYMENT, (*_TEMPLATE, *_ANNOTATIONS)),
        (NODE_LABELS, _DEPLOYMENT, (*_TEMPLATE, "spec", "nodeSelector")),
    ]
    for kind, name in definitions_of_kinds(release).items():
        if kind.kind != "Pod" and objects.get(kind):
            smallest = sorted(objects[kind], key=lambda value: len(str(value)))
            places.extend((name, value, _ANNOTATIONS) for value in smallest[:_OBJECTS])
    for definition, value, path in places:
        for key, warning in _warned(validator, value, path, keys):
            said = _Said.of(warning)
            if said is not None:
                instead, unless = said.instead, ""
                if definition == POD_ANNOTATIONS and instead:
                    instead, unless = _in_pods(release, validator, path, key, instead)
                elif _has_in_spec(release, definition, instead):
                    instead = f"spec.{instead}"
                field = "nodeSelector" if definition == NODE_LABELS else "annotations"
                yield definition, field, key, unless, said.since, instead


def _warned(
    validator: Validator, value: Any, path: Steps, keys: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The keys that a server warns of, with the warnings."""
    full = {_full(key): key for key in keys}
    texts = dict.fromkeys(full, _VALUE)
    for _ in range(_ROUNDS):
        asked = replaced(value, path, texts)
        plain, answer = validator.ask(
            [Request("create", value), Request("create", asked)]
        )
        if answer.accepted:
            break
        said = " ".join(f"{cause.field} {cause.message}" for cause in answer.causes)
        refused = {name for name in texts if name in said}
        if not refused:
            return
        texts = {name: text for name, text in texts.items() if name not in refused}
    # The others are about the kind.
    for warning in set(answer.warnings).difference(plain.warnings):
        named = [
            name
            for name in texts
            if re.search(rf"{re.escape(name)}(?![\w./-])", warning)
        ]
        # Others are what to use instead.
        if named:
            yield full[min(named, key=warning.index)], warning


def _full(key: str) -> str:
    """A key, with the name of a container where it is the beginning of one."""
    return f"{key}{_CONTAINER}" if key.endswith("/") else key


def _has_in_spec(release: Release, definition: str, name: str) -> bool:
    """Whether the specification of a kind has a field."""
    spec = release.definitions[definition].schema.field("spec")
    return spec is not None and name in release.resolve(spec).field_names


def _in_pods(
    release: Release, validator: Validator, path: Steps, key: str, name: str
) -> tuple[str, str]:
    """The path of the field to use instead of an annotation in the specification of pods,
    and its name where the annotation is not warned of beside it."""
    pod = release.definitions["io.k8s.api.core.v1.PodSpec"]
    context = release.definitions["io.k8s.api.core.v1.PodSecurityContext"]
    if name in pod.schema.field_names:
        return name, ""
    if name not in context.schema.field_names:
        return name, ""
    # Of the profiles that are fields of containers, too.
    asked: Any = replaced(_DEPLOYMENT, path, {_full(key): _VALUE})
    spec = (*_TEMPLATE, "spec")
    for place in (spec, (*spec, "containers", 0)):
        asked = replaced(asked, (*place, *_SECURITY, name), {"type": "Unconfined"})
    (answer,) = validator.ask([Request("create", asked)])
    is_silent = answer.accepted and not any(key in text for text in answer.warnings)
    return f"securityContext.{name}", name if is_silent else ""


def _fields(release: Release, validator: Validator, objects: Objects) -> Iterator[Row]:
    names = definitions_of_kinds(release)
    found: dict[tuple[str, str], dict[str, _Said]] = {}
    silent: dict[tuple[str, str], set[str]] = {}
    for kind, values in objects.items():
        requests = [*_with_all_values(release, names[kind], values)]
        answers = validator.ask(Request("create", value) for value in requests)
        for value, answer in zip(requests, answers, strict=True):
            if not answer.accepted:
                continue
            warned = set()
            for warning in answer.warnings:
                said, path = _Said.of(warning), _path_in(warning, value)
                if said is not None and path:
                    warned.add(path)
                    for place in positions(release, names[kind], value):
                        if place.path == path:
                            key = place.definition, place.field
                            text = _text(value_at(value, path))
                            found.setdefault(key, {}).setdefault(text, said)
            for place in positions(release, names[kind], value):
                key = place.definition, place.field
                if place.path not in warned and not place.is_item:
                    text = _text(value_at(value, place.path))
                    silent.setdefault(key, set()).add(text)
    for (definition, field), texts in found.items():
        quiet = silent.get((definition, field), set()) - texts.keys()
        shown = texts if quiet and "" not in texts else {"": next(iter(texts.values()))}
        for text, said in shown.items():
            yield definition, field, text, "", said.since, said.instead


def _with_all_values(
    release: Release, name: str, values: Sequence[Any]
) -> Iterator[Any]:
    """Objects, and these with each value that a field is known to have."""
    asked: set[tuple[str, str]] = set()
    for value in values:
        yield value
        for place in positions(release, name, value):
            key = place.definition, place.field
            enum = server_facts(release.name).of(*key).enum
            if key not in asked and isinstance(value_at(value, place.path), str):
                asked.add(key)
                for text in enum:
                    yield replaced(value, place.path, text)


def _path_in(warning: str, value: Any) -> Steps:
    """The path that a warning begins with, or names at the end of a wrong one."""
    match = _PATH.match(warning)
    if match is None:
        return ()
    path, rest = located(match[0], value)
    if not rest:
        return path
    last = match[0].rpartition(".")[2]
    return (last,) if last in value else ()


def _text(value: Any) -> str:
    """A value as the table has it: a text, or nothing for another one."""
    return value if isinstance(value, str) else ""
