"""The API server's own code of a release, for Python programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubestencil.errors import UsageError
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Operation, Request

#: An object of Kubernetes, as ``json.load`` reads it.
Object = Mapping[str, Any]


class ReleaseValidator(Validator):
    """Answers as the API server of a release ("1.35", or "1.35.2") would.

    A context manager that keeps one process; for one thread. Raises UsageError where the
    program of the release is not built (``kubestencil validator build``).
    ``definitions`` are the CustomResourceDefinitions of custom resources.

    An object that a server refuses is an answer, and no error. All methods raise
    UsageError for what is no mapping, KubestencilError where the program cannot be run.
    """

    def __init__(self, release: str, *, definitions: Iterable[Object] = ()) -> None:
        super().__init__(require_binary(release), definitions=definitions)

    def create(self, value: Object, *, namespace: str = "") -> Answer:
        """What a server answers when the object is created.

        ``namespace`` is that of an object without one, by default "default".
        """
        return self._ask("create", value, namespace=namespace)

    def update(self, old: Object, value: Object, *, namespace: str = "") -> Answer:
        """What a server answers when the object is applied over the old one, as ``kubectl
        apply`` does; ``Answer.old_refused`` is whether the old one is refused."""
        _check_object(old)
        return self._ask("update", value, old=old, namespace=namespace)

    def default(self, value: Object, *, namespace: str = "") -> Answer:
        """The object as a server would store it: ``Answer.object``."""
        return self._ask("default", value, namespace=namespace)

    def convert(self, value: Object, to: str) -> Answer:
        """The object in another version of its kind ("apps/v1"): ``Answer.object``."""
        return self._ask("convert", value, to=to)

    def create_all(self, values: Iterable[Object]) -> tuple[Answer, ...]:
        """The answers of ``create`` for many objects, which takes less time."""
        return tuple(self.ask(_request("create", value) for value in values))

    def _ask(self, operation: Operation, value: Object, **options: Any) -> Answer:
        return self.submit(_request(operation, value, **options)).result()


def _request(operation: Operation, value: Object, **options: Any) -> Request:
    _check_object(value)
    return Request(operation, value, **options)


def _check_object(value: object) -> None:
    if not isinstance(value, Mapping):
        raise UsageError(
            f"must be a mapping, not {type(value).__name__}",
            where="the object",
            hint="read it first, for instance with json.load",
        )
