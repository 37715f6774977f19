"""Operations of OpenAPI 3.0 in the form of OpenAPI 2.0.

Values of a wrong type are left as they are, for the reader of operations to report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.types import JsonObject

_BODY = "requestBody"
_CONTENT = "content"


def operation_as_openapi2(raw: JsonObject) -> JsonObject:
    """An operation in the form of OpenAPI 2.0; ``raw`` itself where it has it already.

    The body becomes the first parameter.
    """
    responses = raw.get("responses")
    if not isinstance(responses, Mapping):
        return raw
    contents = [
        response[_CONTENT]
        for response in responses.values()
        if isinstance(response, Mapping) and isinstance(response.get(_CONTENT), Mapping)
    ]
    body = raw.get(_BODY)
    if not contents and not isinstance(body, Mapping):
        return raw
    result = {
        **raw,
        "responses": {code: _response(value) for code, value in responses.items()},
        # In the order in which responses have them, once each.
        "produces": list(
            dict.fromkeys(name for content in contents for name in content)
        ),
    }
    if isinstance(body, Mapping) and isinstance(body.get(_CONTENT), Mapping):
        parameters = raw.get("parameters", [])
        result["consumes"] = list(body[_CONTENT])
        if isinstance(parameters, list):
            result["parameters"] = [_body_parameter(body), *parameters]
    return result


def parameter_as_openapi2(raw: JsonObject) -> JsonObject:
    """A parameter with its type among its own keywords."""
    schema = raw.get("schema")
    if raw.get("in") == "body" or not isinstance(schema, Mapping):
        return raw
    return {**schema, **raw}


def _body_parameter(body: JsonObject) -> JsonObject:
    schema: Any = next(_schemas(body[_CONTENT]), {})
    required = body.get("required", False)
    return {"name": "body", "in": "body", "required": required, "schema": schema}


def _response(raw: Any) -> Any:
    if not isinstance(raw, Mapping) or not isinstance(raw.get(_CONTENT), Mapping):
        return raw
    schema = next(_schemas(raw[_CONTENT]), None)
    return raw if schema is None else {**raw, "schema": schema}


def _schemas(content: JsonObject) -> Iterator[Any]:
    """The schemas of the media types that have one."""
    for media_type in content.values():
        if isinstance(media_type, Mapping) and "schema" in media_type:
            yield media_type["schema"]
