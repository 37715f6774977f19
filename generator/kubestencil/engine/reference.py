"""The reference of a target: what its paths, templates and options can use.

It is generated from the view's ``EACH``, from the classes of the template variables and
from the manifest, so that it describes the code as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from kubestencil.engine import filters
from kubestencil.engine.manifest import FileRule, Scope, Target
from kubestencil.engine.members import (
    base_classes,
    classes_in,
    description,
    meaning,
    members,
    summary,
    type_name,
)
from kubestencil.engine.view import AnyView, Each, quirks_of

_WIDTH = 88

_SHARED_PLACEHOLDERS: Mapping[Scope, Mapping[str, str]] = {
    "release": {
        "release": "the name of the release: 1.35",
        "origin": "where the spec is from",
        "sha256": "the digest of the spec",
    },
    "releases": {"part": "the folder of the part that is generated"},
    "manifests": {},
}
_SHARED_VARIABLES: Mapping[str, str] = {
    "options": "the options, as set by the user: options.name",
    "target": "the name of the target",
    "version": "the version of kubestencil",
}
_FUNCTIONS: Mapping[str, str] = {
    "declare(name, subject, scope)": (
        "returns name, and stops with an error where the file declares the same name "
        "for two subjects in one scope (which may be left out)"
    ),
    "once(template, subject, variables)": (
        "the text of a template for a subject, rendered once for all files"
    ),
    "shared(template, subject, variables)": (
        "the same, once for all releases of a run: the template has the variables and "
        "nothing else of its release"
    ),
    "embed(name)": (
        "the text of a file beside the templates, such as a style, as it is: nothing in "
        "it is escaped or replaced"
    ),
}


def reference(target: Target, view: AnyView) -> str:
    """The reference of a target as text for a terminal."""
    return "\n".join(_lines(target, view)) + "\n"


def documented_classes(each_values: Iterable[Each]) -> list[type]:
    """The classes of the template variables, and those that they lead to."""
    pending = [
        cls
        for each in each_values
        for annotation in each.variables.values()
        for cls in classes_in(annotation)
    ]
    classes: dict[type, None] = {}
    while pending:
        cls = pending.pop(0)
        if cls not in classes:
            classes[cls] = None
            pending += base_classes(cls)
            for member in members(cls):
                pending += classes_in(member.annotation)
    return list(classes)


def _lines(target: Target, view: AnyView) -> Iterator[str]:
    yield f"{target.name}: {target.about}"
    yield ""
    if target.extends:
        yield f"extends: {target.extends}"
    yield f"view: {target.view}"
    yield f"scope: {target.scope} ({_SCOPES[target.scope]})"
    yield f"manifest: {target.manifest}"
    yield from _manifest_sections(target)
    for name, each in view.EACH.items():
        yield from _each_section(name, each)
    yield from _shared_sections(target, view)
    for cls in documented_classes(view.EACH.values()):
        yield from _class_section(cls)
    yield from _filter_sections(target)
    yield from _section(
        "Quirks (a target has those in its manifest)", _entries(quirks_of(view))
    )
    yield from _section(
        "Quirks of this target, with their reasons", _reasons(target.quirks)
    )
    yield from _section("Fixups", _reasons(target.fixups))


_SCOPES: Mapping[Scope, str] = {
    "release": "generated for each release",
    "releases": "generated once for all releases",
    "manifests": "printed by kubestencil check",
}


def _manifest_sections(target: Target) -> Iterator[str]:
    yield from _section(
        f"Options (--set {target.name}.NAME=VALUE)",
        [f"{name} = {_toml(value)}" for name, value in target.options.items()],
    )
    yield from _section(
        "Files",
        [
            f"{rule.path}  (each = {rule.each!r}, {_source(rule)})"
            for rule in target.files
            if rule.path
        ],
    )
    yield from _section(
        "Reports (values of --format)",
        [
            f"{rule.report}  (each = {rule.each!r}, {_source(rule)}"
            + "".join(f", {suffix}" for suffix in filter(None, rule.suffixes))
            + ")"
            for rule in target.files
            if rule.report
        ],
    )


def _source(rule: FileRule) -> str:
    """What the files of a rule are made from."""
    if rule.copy:
        return f"copy = {rule.copy!r}"
    return f"template = {rule.template!r}" if rule.template else "no template"


def _shared_sections(target: Target, view: AnyView) -> Iterator[str]:
    yield from _section(
        "Placeholders of every path",
        [
            *_entries(_SHARED_PLACEHOLDERS[target.scope], "{%s}"),
            *_entries(_option_placeholders(target, view), "{%s}"),
            *_wrapped(
                "A placeholder can have filters, as in {kind|snake}: "
                f"{', '.join(filters.PATH_FILTERS)}.",
                "",
            ),
        ],
    )
    yield from _section(
        "Variables of every template",
        [
            *_entries(_SHARED_VARIABLES),
            *_entries(_SHARED_PLACEHOLDERS[target.scope]),
            *_entries(_FUNCTIONS),
        ],
    )


def _filter_sections(target: Target) -> Iterator[str]:
    folders = map(str, (*target.folders, *target.roots))
    for title, functions in (
        ("Filters", filters.FILTERS),
        (f"Filters of {filters.FILTER_FILE}", filters.load_filters(folders)),
    ):
        summaries = {name: summary(function) for name, function in functions.items()}
        yield from _section(title, _entries(summaries))
    yield from _section(
        "Filters of Jinja2 (these and all others)", _entries(filters.JINJA_FILTERS)
    )


def _option_placeholders(target: Target, view: AnyView) -> dict[str, str]:
    """The options that are placeholders, without those whose name always means
    something else."""
    shared = _SHARED_PLACEHOLDERS[target.scope]
    return {
        option: f"the option{_exception(option, view)}"
        for option in target.options
        if option not in shared
        and not all(option in each.placeholders for each in view.EACH.values())
    }


def _exception(option: str, view: AnyView) -> str:
    """Where a placeholder of a file hides the option of the same name."""
    hidden = [
        repr(name) for name, each in view.EACH.items() if option in each.placeholders
    ]
    if not hidden:
        return ""
    return (
        f"; not where each is {' or '.join(hidden)}, which have their own {{{option}}}"
    )


def _each_section(name: str, each: Each) -> Iterator[str]:
    yield from _section(
        f"each = {name!r}",
        [
            *_wrapped(each.summary, ""),
            *_entries(each.placeholders, "{%s}"),
            *_entries(
                {
                    f"{variable}: {type_name(annotation)}": meaning(annotation)
                    for variable, annotation in each.variables.items()
                }
            ),
        ],
    )


def _class_section(cls: type) -> Iterator[str]:
    lines: list[str] = []
    for paragraph in description(cls):
        lines += _wrapped(paragraph, "")
    lines += _entries({member.signature: member.summary for member in members(cls)})
    bases = "".join(f", a {base.__name__}" for base in base_classes(cls))
    yield from _section(f"Type {cls.__name__}{bases}", lines)


def _reasons(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return _entries({name: str(table["reason"]) for name, table in tables.items()})


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _entries(entries: Mapping[str, str], pattern: str = "%s") -> list[str]:
    """Lines of names with their meaning; continuation lines are indented."""
    return [
        line
        for name, text in entries.items()
        for line in _wrapped(f"{pattern % name}  {text}".rstrip(), "    ")
    ]


def _wrapped(text: str, indent: str) -> list[str]:
    return fill(
        text.replace("``", "`"),
        _WIDTH - 2,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ).split("\n")


def _toml(value: str | bool | int | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
