"""The modules and files of the crate: a module for each package of the document, a file
for each type.

Custom kinds have a module for each group and version, below ``api``, as Kubernetes' own
kinds have it: ``api::cert_manager_io::v1``. The name of the group is spelled as in
kube-custom-resources-rs. There is a file for each kind, with the types that are part of
it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.errors import SpecError
from kubestencil.file_names import portable
from kubestencil.schema import Definition, GroupVersionKind
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.definitions import CustomType
from kubestencil.text.unique_names import free_name, free_names

Module = tuple[str, ...]

# The module of the groups.
_GROUPS = "api"

# The names at the crate's root that no type or module may have: the words of its
# template but for comments, the crates that others name by path among them.
_ROOT_NAMES = (
    *("alloc", "core", "lib", "list", "std"),
    *re.findall(
        r"^//.*|(\w+)", data_file("templates/rust/lib.rs.j2").read_text("utf-8"), re.M
    ),
)


class RustPath(NamedTuple):
    """Where a type is in the crate.

    ``module`` has the segments of the module that exports it (``api``, ``core``,
    ``v1``), ``name`` is the type (``Pod``), ``file`` the private module and file that
    declares it (``pod``). ``kind`` is the custom kind that the type is part of, whose
    types share a file; None for others.
    """

    module: Module
    name: str
    file: str
    kind: GroupVersionKind | None = None

    @property
    def source(self) -> str:
        """The path of the file in ``src``, without its suffix."""
        return "/".join((*self.module, self.file))

    def seen_from(self, module: Module) -> str:
        """The path of the type in a file of ``module``: ``super::Pod``,
        ``crate::api::core::v1::Pod``."""
        if module == self.module:
            return f"super::{self.name}"
        return "::".join(("crate", *self.module, self.name))


class ModuleListing(NamedTuple):
    """What a module declares: its types and the names of its submodules, in the order of
    the definitions' full names, and the files of custom kinds, all of whose types it
    exports."""

    types: tuple[RustPath, ...]
    modules: tuple[str, ...]
    kinds: tuple[str, ...] = ()


def type_paths(
    definitions: Mapping[str, Definition], custom_types: Mapping[str, CustomType]
) -> dict[str, RustPath]:
    """The path of the type of each definition.

    Raises SpecError where two types, or a type and a module, would have the same name.
    """
    modules = {name: _module(name) for name in definitions if name not in custom_types}
    # The names in each module, each with its owner.
    names: dict[Module, dict[str, str]] = {
        (): dict.fromkeys(_ROOT_NAMES, "every crate")
    }
    for definition, module in modules.items():
        for depth, segment in enumerate(module):
            _reserve(names, module[:depth], segment, "a module", definition)
    types = {name: spelling.type_name(definitions[name].kind) for name in modules}
    for definition, module in modules.items():
        _reserve(names, module, types[definition], definition, definition)
    paths: dict[str, RustPath] = {}
    for definition, module in modules.items():
        file = portable(spelling.field_name(definitions[definition].kind))
        file = free_name(file, names[module], definition)
        names[module][file] = definition
        paths[definition] = RustPath(module, types[definition], file)
    if custom_types:
        _reserve(names, (), _GROUPS, "a module", next(iter(custom_types)))
        paths.update(_custom_paths(custom_types, names.get((_GROUPS,), {})))
    return paths


def _custom_paths(
    types: Mapping[str, CustomType], used: Collection[str]
) -> Iterator[tuple[str, RustPath]]:
    """The paths of the types of custom kinds; ``used`` are names in the module of the
    groups."""
    kinds = sorted({type_.kind for type_ in types.values()})
    group_modules = free_names(
        {kind.group: spelling.module_name(kind.group) for kind in kinds}, used
    )
    modules: dict[GroupVersionKind, Module] = {}
    files: dict[GroupVersionKind, str] = {}
    used_files: dict[Module, set[str]] = {}
    for kind in kinds:
        version = portable(spelling.module_name(kind.version))
        modules[kind] = (_GROUPS, group_modules[kind.group], version)
        siblings = used_files.setdefault(modules[kind], set())
        file = portable(spelling.field_name(kind.kind))
        files[kind] = free_name(file, siblings, kind.kind)
        siblings.add(files[kind])
    for name, (kind, type_name) in types.items():
        yield name, RustPath(modules[kind], type_name, files[kind], kind)


def list_modules(paths: Iterable[RustPath]) -> dict[Module, ModuleListing]:
    """The modules that have types or submodules; the crate's root, ``()``, is always
    one of them."""
    types: dict[Module, list[RustPath]] = {(): []}
    submodules: dict[Module, dict[str, None]] = {(): {}}
    kinds: dict[Module, dict[str, None]] = {}
    for path in paths:
        for depth, segment in enumerate(path.module):
            submodules[path.module[:depth]][segment] = None
            submodules.setdefault(path.module[: depth + 1], {})
            types.setdefault(path.module[: depth + 1], [])
        if path.kind:
            kinds.setdefault(path.module, {})[path.file] = None
        else:
            types[path.module].append(path)
    return {
        module: ModuleListing(
            tuple(listed), tuple(submodules[module]), tuple(kinds.get(module, ()))
        )
        for module, listed in types.items()
    }


def _module(definition: str) -> Module:
    package = definition.removeprefix("io.k8s.").split(".")[:-1]
    return tuple(portable(spelling.field_name(part)) for part in package)


def _reserve(
    names: dict[Module, dict[str, str]],
    module: Module,
    name: str,
    owner: str,
    definition: str,
) -> None:
    """Give ``name`` in ``module`` to ``owner``; raises SpecError where it is taken."""
    other = names.setdefault(module, {}).setdefault(name, owner)
    if other != owner:
        raise SpecError(
            f"{definition} needs the Rust path {'::'.join((*module, name))}, which "
            f"{other} has already",
            where="target rust",
            hint="rename it in the spec",
        )
