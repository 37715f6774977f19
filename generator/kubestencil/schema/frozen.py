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
    """A JSON value with equal ones in it, none of which can be changed. What cannot be
    changed already is itself."""
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


#: The frozen JSON values of some documents, by what they are made of.
Known = dict[tuple[object, ...], Any]


def frozen_once(value: Any, known: Known) -> Any:
    """A JSON value as ``frozen`` has it, in which equal objects and arrays are the same,
    and the same as those in ``known``: schemas of custom resources repeat half of their
    parts."""
    if type(value) is dict:
        values = [frozen_once(child, known) for child in value.values()]
        key = (dict, *value, *map(_identity, values))
        if key not in known:
            known[key] = FrozenObject(zip(value, values, strict=True))
        return known[key]
    if type(value) is list:
        values = [frozen_once(child, known) for child in value]
        key = (list, *map(_identity, values))
        if key not in known:
            known[key] = FrozenArray(values)
        return known[key]
    return value


def _identity(value: Any) -> object:
    """What equal values have in common: ``1``, ``1.0`` and ``True`` are not equal."""
    if type(value) is str:
        return value
    return id(value) if isinstance(value, dict | list) else (type(value), value)
