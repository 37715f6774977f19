"""Requests and answers of validators (``templates/validator/protocol.go``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

# What a server that refuses an object says, and one that has no rules for its kind.
_REFUSED = (400, 403, 413, 422)
_WITHOUT_RULES = (404, 405)

Operation = Literal[
    "create", "update", "status", "delete", "default", "convert", "version"
]


class PodSecurity(NamedTuple):
    """A level of the Pod Security Standards (privileged, baseline or restricted), in the
    version of a release (v1.31) or the latest one."""

    level: str
    version: str = "latest"


@dataclass(frozen=True, slots=True)
class Request:
    """What a validator is asked.

    ``object`` is a manifest, ``old`` the one that was applied before it (``update``),
    ``to`` the apiVersion to convert to. ``namespace`` is that of objects without one,
    ``feature_gates`` are set for this request. Pods and templates of pods are compared
    with ``pod_security``.
    """

    operation: Operation
    object: Mapping[str, Any] | None = None
    old: Mapping[str, Any] | None = None
    to: str = ""
    namespace: str = ""
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    pod_security: PodSecurity | None = None

    def line(self, prepared: str = "") -> bytes:
        """The request as a line of JSON; ``prepared`` is the digest of what it needs.

        Raises ValueError for an object that JSON cannot have: NaN, or a lone surrogate.
        """
        request: dict[str, Any] = {"operation": self.operation}
        for key, value in (
            ("object", self.object),
            ("old", self.old),
            ("to", self.to),
            ("namespace", self.namespace),
            ("featureGates", self.feature_gates),
            ("prepared", prepared),
        ):
            if value:
                request[key] = value
        if self.pod_security:
            request["podSecurity"] = self.pod_security._asdict()
        text = json.dumps(request, ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"


class Preparation(NamedTuple):
    """The request to prepare objects for later ones, and the digest that these name."""

    line: bytes
    digest: str

    @classmethod
    def of(cls, definitions: Iterable[Mapping[str, Any]]) -> Preparation | None:
        """The request for CustomResourceDefinitions; None where there are none. One that
        JSON cannot have, or too deep, is one that is refused."""
        texts = [_text_or_null(definition) for definition in definitions]
        if not texts:
            return None
        objects = f"[{','.join(texts)}]".encode()
        line = b'{"operation": "prepare", "objects": ' + objects + b"}\n"
        return cls(line, hashlib.sha256(objects).hexdigest())


def _text_or_null(definition: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(definition, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError):
        return "null"
    return text


class Cause(NamedTuple):
    """One reason why an object is refused, in the words of the API server.

    ``field`` is a path (``spec.containers[0].image``), ``reason`` a constant such as
    FieldValueRequired, ``bad_value`` JSON of the value that is wrong, or empty.
    """

    reason: str
    field: str
    message: str
    bad_value: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an API server would answer.

    ``code`` is its HTTP status: 200 and 201 accepted, 400 cannot be decoded, 404 and 405
    for a kind without rules, 413 too large, 422 invalid, 500 the server's code failed; 0
    where the program was ended because it took too long or too much memory. ``object`` is
    the result of ``default``, ``status`` and ``convert``. ``pod_security`` says what the level of the
    request forbids: pods are refused (403), objects with templates of pods are not.
    ``policies`` are the messages of admission policies that deny the object.
    ``old_refused`` is whether the old object of an update is what is refused.
    ``release`` answers ``version``: 1.35.0.
    """

    code: int
    message: str = ""
    causes: tuple[Cause, ...] = ()
    warnings: tuple[str, ...] = ()
    object: Mapping[str, Any] | None = None
    pod_security: str = ""
    policies: tuple[str, ...] = ()
    old_refused: bool = False
    release: str = ""

    @property
    def accepted(self) -> bool:
        """Whether a server would accept the object."""
        return 200 <= self.code < 300

    @property
    def is_verdict(self) -> bool:
        """Whether the server's rules decided: not where the kind has none, and not where
        the program failed."""
        return self.accepted or self.code in _REFUSED or bool(self.policies)

    @property
    def has_failed(self) -> bool:
        """Whether the program failed, or says what no server does."""
        return not (self.accepted or self.code in (*_REFUSED, *_WITHOUT_RULES))


_ANSWER: Mapping[str, type] = {
    "code": int, "message": str, "causes": list, "warnings": list, "object": dict,
    "podSecurity": str, "policies": list, "oldRefused": bool, "release": str,
}  # fmt: skip
_CAUSE: Mapping[str, type] = {"reason": str, "field": str, "message": str}


def _check_types(value: Any, types: Mapping[str, type]) -> None:
    """Raise ValueError for what is no object, or has other types."""
    if not isinstance(value, dict) or not all(
        isinstance(value[key], type_) for key, type_ in types.items() if key in value
    ):
        raise ValueError("not an answer")


def read_answer(line: bytes) -> Answer:
    """The answer in a line of JSON. Raises ValueError where it is none."""
    answer = json.loads(line)
    _check_types(answer, _ANSWER)
    for cause in answer.get("causes", ()):
        _check_types(cause, _CAUSE)
    texts = (*answer.get("warnings", ()), *answer.get("policies", ()))
    if "code" not in answer or not all(isinstance(text, str) for text in texts):
        raise ValueError("not an answer")
    return Answer(
        code=answer["code"],
        message=answer.get("message", ""),
        causes=tuple(
            Cause(
                cause.get("reason", ""),
                cause.get("field", ""),
                cause.get("message", ""),
                json.dumps(cause["badValue"]) if "badValue" in cause else "",
            )
            for cause in answer.get("causes", ())
        ),
        warnings=tuple(answer.get("warnings", ())),
        object=answer.get("object"),
        pod_security=answer.get("podSecurity", ""),
        policies=tuple(answer.get("policies", ())),
        old_refused=answer.get("oldRefused", False),
        release=answer.get("release", ""),
    )
