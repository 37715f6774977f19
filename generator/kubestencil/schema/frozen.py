"""JSON values that cannot be changed."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(*_arguments: object, **_names: object) -> NoReturn:
    raise TypeError("a spec cannot be changed; change a copy: copy.deepcopy()")


class FrozenObject(dict[Any, Any]):
    """A JSON object, or another dictionary, whose copies can be changed only."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[object]]:
        return dict, (dict(self),)


class FrozenArray(list[Any]):
    """A JSON array whose copies can be changed only."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type, tuple[object]]:
        return list, (list(self),)


def frozen(value: Any) -> Any:
    """A JSON value with equal ones in it, none of which can be changed."""
    if type(value) is dict:
        # A text, which most values are, is found without a call.
        return FrozenObject(
            {
                key: child if type(child) is str else frozen(child)
                for key, child in value.items()
            }
        )
    if type(value) is list:
        return FrozenArray(map(frozen, value))
    return value
