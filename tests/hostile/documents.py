"""Generated documents: mutations of real ones, those of hypothesis, and hand-made ones."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from tests.conftest import RELEASES, load, make_document
from tests.hostile.schemas import KEYWORDS, nested, text_keyword
from tests.hostile.texts import Texts
from tests.mutations import SCALARS, Position, positions

Document = dict[str, Any]

#: Kinds that need few other definitions.
_KINDS = (
    "core.v1.ConfigMap", "core.v1.Secret", "scheduling.v1.PriorityClass", "rbac.v1.Role",
    "coordination.v1.Lease", "core.v1.Namespace", "networking.v1.NetworkPolicy",
    "policy.v1.PodDisruptionBudget", "autoscaling.v1.Scale", "core.v1.LimitRange",
    "networking.v1.Ingress", "storage.v1.StorageClass", "core.v1.Event", "core.v1.Service",
)  # fmt: skip
_PREFIX = "io.k8s.api."
_SCHEMA_KEYS = ("items", "additionalProperties")
# The names of definitions that somebody could give.
_ODD_NAMES = (
    "io.k8s.api.core.v1.Class", "None", "v1.Self", "a", "A", "x.v1.A-b", "x.v1.A_b", "v1.1a",
    "io.k8s.api.core.v1.configMap", "io.k8s.apimachinery.pkg.apis.meta.v1.Time", "a..b", "",
    "io.k8s.api.core.v1", "../x", "a/b", "a b", "x" * 200, "x" * 201, "é", "com.x.v1.List",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "std", "str", "index", "README",
)  # fmt: skip


def part_of_release(
    source: random.Random, *, has_paths: bool | None = None
) -> Document:
    """A kind of an embedded release, its list, and what they refer to; with operations in
    half of the documents, unless ``has_paths`` says."""
    release = source.choice(RELEASES)
    kind = _PREFIX + source.choice(_KINDS)
    names = [kind, f"{kind}List"] if source.random() < 0.5 else [kind]
    definitions = copy.deepcopy(_closure(release, tuple(names)))
    is_chosen = source.random() < 0.5
    paths = _paths(kind) if (is_chosen if has_paths is None else has_paths) else {}
    return make_document(definitions, paths=paths)


def whole_release(source: random.Random) -> Document:
    """All definitions of an embedded release."""
    definitions = load(source.choice(RELEASES)).definitions
    return make_document(
        # Copies, since a case changes them, and a release cannot be changed.
        {
            name: copy.deepcopy(definition.schema.raw)
            for name, definition in definitions.items()
        }
    )


@cache
def _closure(release: str, names: tuple[str, ...]) -> dict[str, Any]:
    definitions = load(release).definitions
    selected: dict[str, Any] = {}
    pending = [name for name in names if name in definitions]
    while pending:
        name = pending.pop()
        if name not in selected:
            selected[name] = definitions[name].schema.raw
            pending += references(selected[name])
    return selected


def references(value: Any) -> Iterator[str]:
    """The names of definitions that a schema refers to."""
    for position in positions({"": value}):
        if position.key == "$ref" and isinstance(position.value, str):
            yield position.value.rpartition("/")[2]


def _paths(kind: str) -> Document:
    """The operations of a kind, as a server lists them."""
    group, version, name = kind.removeprefix(_PREFIX).split(".")
    action = {
        "operationId": f"read{name}",
        "description": f"read a {name}",
        "tags": [f"{group}_{version}"],
        "produces": ["application/json"],
        "responses": {
            "200": {
                "description": "OK",
                "schema": {"$ref": f"#/definitions/{kind}"},
            }
        },
        "parameters": [
            {"name": "pretty", "in": "query", "type": "string", "uniqueItems": True},
            {
                "name": "body",
                "in": "body",
                "schema": {"$ref": f"#/definitions/{kind}"},
            },
        ],
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": {
            "group": group,
            "version": version,
            "kind": name,
        },
    }
    path = f"/apis/{group}/{version}/namespaces/{{namespace}}/{name.lower()}s"
    parameters = [
        {"name": name, "in": "path", "type": "string", "required": True}
        for name in ("namespace", "name")
    ]
    return {
        path: {"get": action, "parameters": parameters[:1]},
        f"{path}/{{name}}": {
            "get": {**action, "operationId": f"readNamespaced{name}"},
            "delete": {**action, "operationId": f"delete{name}"},
            "parameters": parameters,
        },
    }


def mutate(document: Document, texts: Texts, count: int) -> None:
    """Change a document ``count`` times, at random."""
    for _ in range(count):
        texts.source.choice(_MUTATIONS)(document, texts)


def insert_texts(document: Document, texts: Texts, count: int) -> None:
    """Put hostile texts where a document may have any: what is valid stays so."""
    for _ in range(count):
        texts.source.choice((_set_text, _add_text, _add_field))(document, texts)


def _schemas(document: Document) -> list[Position]:
    """The schemas of a document, as positions in it."""
    roots = document.get("definitions") or document
    return [
        position
        for position in positions({"": roots})
        if isinstance(position.value, dict)
        and position.key not in ("", "properties")
        and (
            position.container is roots
            or position.key in _SCHEMA_KEYS
            or position.path.split(".")[-2:-1] == ["properties"]
        )
    ]


def _schema(document: Document, texts: Texts) -> Document:
    choices = _schemas(document)
    schema: Document = texts.source.choice(choices).value if choices else {}
    return schema


def _set_text(document: Document, texts: Texts) -> None:
    """Put a text where one is."""
    choices = [
        position
        for position in positions({"": document})
        if position.key in ("description", "title", "message", "rule")
        and isinstance(position.value, str)
    ]
    if choices:
        position = texts.source.choice(choices)
        position.container[position.key] = texts.text()


def _add_text(document: Document, texts: Texts) -> None:
    """Add a keyword with a text to a schema."""
    schema = _schema(document, texts)
    keyword, value = text_keyword(texts, readable=True)
    schema[keyword] = value


def _add_field(document: Document, texts: Texts) -> None:
    """Add a field with a hostile name."""
    schema = _schema(document, texts)
    name = texts.name()
    keyword, value = text_keyword(texts, readable=True)
    properties = schema.setdefault("properties", {})
    if isinstance(properties, dict) and "$ref" not in schema:
        properties[name] = {"type": "string", keyword: value}


def _add_keyword(document: Document, texts: Texts) -> None:
    """Add an odd keyword to a schema."""
    keyword, value = texts.source.choice(KEYWORDS)
    _schema(document, texts)[keyword] = copy.deepcopy(value)


def _add_any_text(document: Document, texts: Texts) -> None:
    """Add a keyword with a text, which may have a meaning, to a schema."""
    keyword, value = text_keyword(texts, readable=False)
    _schema(document, texts)[keyword] = value


def _replace_value(document: Document, texts: Texts) -> None:
    """Put any value where another one is."""
    position = texts.source.choice([*positions({"": document})][1:])
    position.container[position.key] = texts.source.choice(SCALARS)


def _remove_value(document: Document, texts: Texts) -> None:
    """Leave out a field or an item."""
    position = texts.source.choice([*positions({"": document})][1:])
    del position.container[position.key]


def _copy_value(document: Document, texts: Texts) -> None:
    """Put a part of a document elsewhere in it."""
    choices = [*positions({"": document})][1:]
    target, value = texts.source.choice(choices), texts.source.choice(choices).value
    if len(json.dumps(value)) < 20_000:
        target.container[target.key] = copy.deepcopy(value)


def _redirect(document: Document, texts: Texts) -> None:
    """Let a schema refer to another definition: also to that which it is in."""
    definitions = document.get("definitions") or {"x": {}}
    schema = _schema(document, texts)
    name = texts.source.choice([*definitions])
    if texts.source.random() < 0.5:
        schema.clear()
    schema["$ref"] = f"#/definitions/{name}"


def _rename(document: Document, texts: Texts) -> None:
    """Give a definition another name, and to what refers to it, too."""
    definitions = document.get("definitions")
    if not isinstance(definitions, dict) or not definitions:
        return
    old, new = texts.source.choice([*definitions]), texts.source.choice(_ODD_NAMES)
    definitions[new] = definitions.pop(old)
    for position in positions({"": document}):
        if position.key == "$ref" and position.value == f"#/definitions/{old}":
            position.container["$ref"] = f"#/definitions/{new}"


def _rename_kind(document: Document, texts: Texts) -> None:
    """Change a group, version or kind that is served."""
    choices = [
        position
        for position in positions({"": document})
        if position.key in ("group", "version", "kind", "plural", "singular", "name")
    ]
    if choices:
        position = texts.source.choice(choices)
        position.container[position.key] = texts.source.choice(
            (
                texts.text(),
                "v1",
                "",
                "Pod",
                "x.io",
                "List",
                "Class",
                "..",
                "a" * 300,
                None,
            )
        )


def _nest(document: Document, texts: Texts) -> None:
    """Put a schema into many others."""
    schema = _schema(document, texts)
    if len(json.dumps(schema)) < 20_000:
        inner = copy.deepcopy(schema)
        depth = texts.source.choice((1, 2, 5, 30, 99, 150))
        schema.clear()
        schema.update(nested(texts.source, inner, depth))


_MUTATIONS: tuple[Callable[[Document, Texts], None], ...] = (
    _set_text, _add_text, _add_text, _add_any_text, _add_field, _add_field, _add_keyword,
    _add_keyword, _add_keyword, _replace_value, _remove_value, _copy_value, _redirect,
    _redirect, _rename, _rename_kind, _nest,
)  # fmt: skip
