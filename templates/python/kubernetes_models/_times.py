"""Times as the API server takes them, and how values become such times."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from ._errors import ModelError, Problem

_DIGITS_AFTER_MICROSECONDS = re.compile(r"(?<=\.\d{6})\d+")

#: A point in time.
DateTime: TypeAlias = datetime
#: A point in time, exact to the second. It is printed as "2024-01-31T12:00:00Z".
Time: TypeAlias = datetime

if TYPE_CHECKING:
    #: A point in time, exact to the microsecond: "2024-01-31T12:00:00.000000Z".
    MicroTime: TypeAlias = datetime
    MicroTimeType: TypeAlias = datetime
    #: A point in time that is written as it was read.
    ExactTime: TypeAlias = datetime
else:

    def _part(name, values):
        annotation = Literal[tuple(values)]
        return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)

    class MicroTime(datetime):
        """A datetime that never leaves out the microseconds.

        The API server refuses a metav1.MicroTime that does not have six digits.
        """

        __slots__ = ()
        # What hypothesis makes one of: days that all months have.
        __signature__ = Signature(
            [
                _part("year", (1, 1970, 2024, 9999)),
                _part("month", range(1, 13)),
                _part("day", range(1, 29)),
                _part("hour", range(24)),
                _part("minute", range(60)),
                _part("second", range(60)),
                _part("microsecond", (0, 1, 999_999)),
            ]
        )

        def isoformat(self, sep="T", timespec="auto"):
            return super().isoformat(
                sep, "microseconds" if timespec == "auto" else timespec
            )

    # Says what msgspec cannot know in the JSON schema of a class of its user's.
    MicroTimeType = Annotated[
        MicroTime,
        msgspec.Meta(extra_json_schema={"type": "string", "format": "date-time"}),
    ]

    class ExactTime(datetime):
        """A datetime that is written as it was read, with all of its digits."""

        __slots__ = ("_text",)
        __signature__ = MicroTime.__signature__

        @classmethod
        def parse(cls, text):
            """The time in a text. Raises msgspec.ValidationError."""
            value = read_time(text)
            exact = to_datetime(value)
            time = cls.combine(exact.date(), exact.timetz())
            # Others than those of RFC 3339 are not accepted by the API server.
            if value.tzinfo and text[10] == "T" and not text.endswith("z"):
                time._text = text
            return time

        @property
        def text(self):
            """The text that was read, None for a time that was computed."""
            return getattr(self, "_text", None)

        def __reduce_ex__(self, protocol):
            if self.text is None:
                return super().__reduce_ex__(protocol)
            return ExactTime.parse, (self.text,)


# The class that the annotation is, which type checkers take for another.
_TIME: Any = ExactTime


def read_time(text: str) -> datetime:
    """The time in a text, without the digits after the microseconds: msgspec rounds, to
    year 10000 even. Raises msgspec.ValidationError."""
    return msgspec.convert(_DIGITS_AFTER_MICROSECONDS.sub("", text), datetime)


def to_datetime(value: Any) -> Any:
    """A time, or a container of times, with a time zone."""
    return _aware(value) if isinstance(value, datetime) else _inside(value, to_datetime)


def to_time(value: Any) -> Any:
    """A time, or a container of times, exact to the second."""
    if value.__class__ is datetime and value.tzinfo and not value.microsecond:
        return value
    if not isinstance(value, datetime):
        return _inside(value, to_time)
    return datetime.combine(value.date(), _aware(value).timetz().replace(microsecond=0))


def to_micro_time(value: Any) -> Any:
    """A time, or a container of times, exact to the microsecond."""
    if value.__class__ is MicroTime and value.tzinfo:
        return value
    if not isinstance(value, datetime):
        return _inside(value, to_micro_time)
    return MicroTime.combine(value.date(), _aware(value).timetz())


def to_exact_time(value: Any) -> Any:
    """A time, or a container of times, each as it was read."""
    if isinstance(value, str):
        try:
            return _TIME.parse(value)
        except msgspec.ValidationError:
            pass
    elif isinstance(value, dict):
        return {key: to_exact_time(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        return [to_exact_time(item) for item in value]
    return to_datetime(value)


def _inside(value: Any, exact: Callable[[Any], Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return exact(read_time(value))
        except msgspec.ValidationError:
            pass
    elif isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    elif isinstance(value, list | tuple):
        return [exact(each) for each in value]
    raise ModelError([Problem("", f"expected a time (RFC 3339), got {value!r}")])


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo else value.replace(tzinfo=UTC)
