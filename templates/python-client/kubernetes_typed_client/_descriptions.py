"""How an operation is called: from arguments to a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter, Signature
from typing import Any, Generic, ParamSpec

from ._calls import JSON, TEXT, ApplyPatch, Call, encode, path_segment

P = ParamSpec("P")

_BODY = "body"
_TIMEOUT = "timeout"
_ARGUMENT = re.compile(r"\{(\w+)\}")
#: What ``sends`` is where the body is a patch; server-side apply has the kind as well.
STRATEGIC_PATCH, MERGE_PATCH, APPLY = "strategic patch", "merge patch", "apply "


class Documentation:
    """Of a class its docstring, of an instance what help() shows, made when needed."""

    def __init__(self, class_docstring: str | None) -> None:
        self._class_docstring = class_docstring

    def __get__(self, instance: Any, owner: type) -> str | None:
        return self._class_docstring if instance is None else instance.documentation


class Documented:
    """An object whose help() shows its ``documentation``, not its class's docstring."""

    @property
    def documentation(self) -> str:
        """What help() shows."""
        raise NotImplementedError

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = Documentation(cls.__doc__)  # type: ignore[assignment]


class Description(Documented, Generic[P]):
    """The method, path, arguments and body of an operation.

    ``path`` has arguments in braces. ``required`` are the arguments that may be
    positional, ``query`` has the query parameters of the others. ``result`` is the
    class of the result (``_calls.decode``). ``sends`` is the kind of the body:
    "apiVersion kind", or one of the kinds of patch; empty without a body.
    """

    def __init__(
        self,
        method: str,
        path: str,
        required: tuple[str, ...],
        query: Mapping[str, str],
        result: str = JSON,
        *,
        sends: str = "",
        item: str = "",
    ) -> None:
        self.method = method
        self.path = path
        self.required = required
        self.query = query
        self.result = result
        self.sends = sends
        self.item = item
        self.name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of all arguments, first those that may be positional."""
        names = dict.fromkeys([*self.required, *self.query])
        if self.sends:
            names.setdefault(_BODY)
        return (*names, _TIMEOUT)

    @property
    def signature(self) -> Signature:
        """The signature of the method, without types."""
        return Signature(
            [
                (
                    Parameter(name, Parameter.POSITIONAL_OR_KEYWORD)
                    if name in self.required
                    else Parameter(name, Parameter.KEYWORD_ONLY, default=None)
                )
                for name in self.arguments
            ]
        )

    @property
    def documentation(self) -> str:
        """What help() shows: the request, and what the arguments mean."""
        from ._arguments import TEXTS

        lines = (
            f"{name}: {TEXTS[name]}{' (required)' if name in self.required else ''}"
            for name in self.arguments
            if name in TEXTS
        )
        call = f"{self.name}{self.signature}"
        return "\n".join([call, f"{self.method} {self.path}", "", *lines])

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[Any]:
        """The call with these arguments. Raises TypeError for wrong ones, ValueError
        for a value that cannot be a part of the path."""
        values = self._bind(args, kwargs)
        is_apply = self.sends.startswith(APPLY)
        content: Any = values.get(_BODY)
        if is_apply:
            content = ApplyPatch(content)
        is_patch = self.sends in (STRATEGIC_PATCH, MERGE_PATCH)
        kind = "" if is_patch else self.sends.removeprefix(APPLY)
        body = encode(content, kind, strategic=self.sends == STRATEGIC_PATCH)
        return Call(
            method=self.method,
            path=_ARGUMENT.sub(
                lambda match: self._segment(match[1], values), self.path
            ),
            query=tuple(self._query(values)),
            body=body.data,
            content_type=body.content_type,
            accept="*/*" if self.result == TEXT else "application/json",
            result=self.result,
            idempotent=self.method in ("GET", "HEAD", "OPTIONS") or is_apply,
            timeout=values.get(_TIMEOUT),
        )

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self.required):
            raise TypeError(
                f"{self.name}() takes {len(self.required)} positional arguments, "
                f"{len(args)} were given"
            )
        values = dict(zip(self.required, args, strict=False))
        for name, value in kwargs.items():
            if name in values:
                raise TypeError(f"{self.name}() got two values for {name!r}")
            if name not in self.arguments:
                close = get_close_matches(name, self.arguments, 1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise TypeError(f"{self.name}() has no argument {name!r}{hint}")
            values[name] = value
        for name in self.required:
            if values.get(name) is None:
                raise TypeError(f"{self.name}() needs the argument {name!r}")
        return values

    def _segment(self, name: str, values: Mapping[str, Any]) -> str:
        """An argument as a part of the path."""
        value = str(values[name])
        # Only the last part of a path may have slashes: that of a proxy.
        is_path = name == "path" and self.path.endswith("/{path}")
        where = f"{self.name}(): {name}"
        if not is_path or not value:
            return path_segment(value, where)
        return "/".join(part and path_segment(part, where) for part in value.split("/"))

    def _query(self, values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
        for argument, name in self.query.items():
            value = values.get(argument)
            if value is None:
                continue
            for item in value if isinstance(value, list | tuple) else [value]:
                yield name, str(item).lower() if isinstance(item, bool) else str(item)
