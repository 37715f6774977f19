"""The feature gates of a validator, in states in which they can be together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.gates import with_dependencies
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request

Gates = frozenset[str]

_PROBE = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


class Switches:
    """The gates of a program that can be turned on and off, and what they depend on.

    ``names`` are the gates of the release that are not locked: other components have some
    of them. Raises SourceError where they cannot be all on, or all off.
    """

    def __init__(
        self,
        validator: Validator,
        names: Iterable[str],
        dependencies: Mapping[str, Sequence[str]],
    ) -> None:
        self._validator = validator
        self._dependencies = dependencies
        self.names = [name for name in names if self._is_known(name)]
        for gates in (self.only(self.names), self.only(())):
            (answer,) = validator.ask([Request("create", _PROBE, feature_gates=gates)])
            if not answer.accepted:
                raise SourceError(
                    answer.message, where=str(validator.program), hint="lock the gate"
                )

    def _is_known(self, gate: str) -> bool:
        request = Request("create", _PROBE, feature_gates={gate: True})
        (answer,) = self._validator.ask([request])
        return "has no feature gate" not in answer.message

    def with_needed(self, gates: Iterable[str]) -> Gates:
        """Some gates, and all that they depend on."""
        return frozenset(with_dependencies(gates, self._dependencies))

    def without_needed(self, gates: Gates) -> Gates:
        """Some gates without those that others of them depend on."""
        needed = (self.with_needed([gate]) - {gate} for gate in gates)
        return gates.difference(*needed)

    def only(self, gates: Iterable[str]) -> dict[str, bool]:
        """The state of all gates where these are on, with what they depend on."""
        on = self.with_needed(gates)
        return {name: name in on for name in self.names}

    @cached_property
    def order(self) -> Sequence[str]:
        """The gates, each after those that it depends on."""
        order: dict[str, None] = {}
        while len(order) < len(self.names):
            for name in self.names:
                needed = self.with_needed([name]) - {name}
                if needed & {*self.names} <= order.keys():
                    order[name] = None
        return list(order)
