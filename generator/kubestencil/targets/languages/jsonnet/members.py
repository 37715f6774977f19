"""The members of the objects in a generated Jsonnet library: functions and objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import GroupVersionKind
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.text.unique_names import free_names


class Limits(NamedTuple):
    """How many members an object may have at all levels, and how many levels."""

    size: int
    depth: int


#: The largest type of Kubernetes (Volume) has 220 members, the deepest (CronJob) nine
#: levels. References that double at every level would fill the memory.
LIMITS = Limits(20_000, 40)


class Function(NamedTuple):
    """A function that sets one field: ``withReplicas(replicas)``.

    ``help`` is its documentation. ``parameter`` is an identifier, ``type`` the OpenAPI
    type of its value, or ``any``. ``field`` is the path of JSON names to the field,
    relative to the object that the function is in. A function that ``appends`` adds
    to the field's value, all others replace it.
    """

    name: str
    help: str
    parameter: str
    type: str
    field: tuple[str, ...]
    appends: bool


class Constructor(NamedTuple):
    """The function ``new``, which returns an object with ``apiVersion`` and ``kind``.

    ``parameter`` is ``name`` where it sets the name in the metadata, else empty.
    ``cluster_scoped`` says that the kind is a custom resource without a namespace: the
    object then has an annotation for Tanka, which knows the scope of Kubernetes' own
    kinds only (https://tanka.dev/namespaces).
    """

    name: str
    help: str
    parameter: str
    kind: GroupVersionKind
    cluster_scoped: bool


class NestedObject(NamedTuple):
    """An object with the functions for the fields inside a field: ``spec``.

    ``json_name`` is that of the field, and ``path`` has the JSON names that lead to it,
    relative to the object that this one is in. It is None for the items of a list: their
    functions return an item.
    """

    name: str
    help: str
    json_name: str
    path: tuple[str, ...] | None
    members: Members


Member = Function | Constructor | NestedObject


# Compared by identity: one is a dictionary key thousands of times, and is made once.
@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """All members of one object, sorted by name.

    ``size`` is the number of members at all levels, ``depth`` the number of levels.
    """

    entries: tuple[Member, ...]
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class LibraryType:
    """A definition that has a file in the library.

    ``definition`` is its full name; ``group``, ``version`` and ``name`` are the
    fields of the library that lead to it: ``k.apps.v1.deployment``.
    """

    definition: str
    group: str
    version: str
    name: str
    help: str
    members: Members

    @property
    def path(self) -> tuple[str, str, str]:
        """The names of the fields that lead to it."""
        return self.group, self.version, self.name


def make_members(
    members: Iterable[Member],
    definition: str,
    limits: Limits,
    reserved: Collection[str] = (),
) -> Members:
    """The members of an object, sorted by name; ``definition`` is for error messages.

    Raises SpecError for a name that is ``reserved``, that two members have or that
    Jsonnet documentation needs, and for too many members or levels.
    """
    by_name: dict[str, Member] = {}
    size = depth = 0
    for member in members:
        if member.name in by_name or member.name in reserved:
            raise SpecError(
                f"two fields need the builder {jsonnet.printable_name(member.name)!r}",
                where=definition,
                hint="a Jsonnet object has one field of a name: rename one of the "
                "fields in the spec",
            )
        if not member.name or member.name.startswith("#"):
            raise SpecError(
                f"the field {jsonnet.printable_name(member.name)!r} cannot have an "
                "object of builders: # and the names that begin with it are for "
                "documentation",
                where=definition,
            )
        by_name[member.name] = member
        size += 1
        if isinstance(member, NestedObject):
            size += member.members.size
            depth = max(depth, member.members.depth)
    if size > limits.size or depth >= limits.depth:
        raise SpecError(
            f"needs {size} builders, {depth + 1} levels deep: more than {limits.size} "
            f"builders or {limits.depth} levels",
            where=definition,
        )
    entries = tuple(by_name[name] for name in sorted(by_name))
    return Members(entries, size, depth + 1)


def with_unique_names(
    members: Iterable[Member], reserved: Collection[str]
) -> Iterator[Member]:
    """``members``, renamed where an object cannot have them all.

    One that Jsonnet documentation needs (``#…``, or none) gets an underscore in front.
    """
    by_source = {_source(member): member for member in members}
    names = free_names(
        {
            source: f"_{member.name}" if member.name[:1] in ("", "#") else member.name
            for source, member in by_source.items()
        },
        reserved,
    )
    for source, member in by_source.items():
        yield member._replace(name=names[source])


def _source(member: Member) -> str:
    """What a member is for: the JSON name of its field, and its name, which tells apart
    the members of one field."""
    if isinstance(member, Constructor):
        return ""
    json_name = member.field[-1] if isinstance(member, Function) else member.json_name
    return f"{json_name}\n{member.name}"


def takes_name(members: Iterable[Member]) -> bool:
    """Whether there is a ``metadata.withName``, by which ``new`` can set a name."""
    return any(
        isinstance(member, NestedObject)
        and member.name == "metadata"
        and any(inner.name == "withName" for inner in member.members.entries)
        for member in members
    )
