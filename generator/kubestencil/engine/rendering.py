"""Renders a target: turns contexts into paths and bytes, which ``build`` writes, and into
reports, which commands print."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from kubestencil.data_files import data_file
from kubestencil.engine.manifest import FileRule, Target, find_file
from kubestencil.engine.view import Contexts, FileContext
from kubestencil.errors import SpecError, TargetError, UsageError, nearest
from kubestencil.file_names import portable
from kubestencil.output_paths import hidden_parts, is_path
from kubestencil.version import __version__

if TYPE_CHECKING:
    from kubestencil.engine.templates import Templates

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# The end of a name that ``portable`` has cut.
_CUT = "…[0-9a-f]{8}"
_PATH_HINT = r"a path is relative; no part of it is empty or '..' or has '\' or ':'"


class File(NamedTuple):
    """A generated file. ``path`` is relative to the target's folder, with slashes."""

    path: str
    data: bytes


# Changes a generated text; the second parameter is the subject of its context.
_PostProcess = Callable[[str, str], str]


class _FileOrigin(NamedTuple):
    """What a file was generated from: a rule, and the subject of the context."""

    rule: FileRule
    subject: str


def render_contexts(
    contexts: Contexts, target: Target, shared: Mapping[str, str]
) -> Iterator[File]:
    """Render the files of ``contexts`` with the templates of ``target``.

    ``shared`` are variables of all templates and placeholders of all paths. Raises
    SpecError where two definitions get the same path, or a name cannot be part of
    one; TargetError for a mistake in the target.
    """
    templates = cache(partial(_templates, contexts, target, shared))
    generated: dict[str, _FileOrigin] = {}
    for rule in target.files:
        if not rule.path or rule.each in contexts.handled_by_other_parts:
            continue
        post_process = _post_process(contexts, rule, target)
        copied = _copied_bytes(rule, target) if rule.copy else None
        for context in _contexts(contexts, rule, target):
            path = _fill_in_path(target, rule, context, shared)
            file = _FileOrigin(rule, context.subject)
            # Some file systems ignore case.
            other = generated.setdefault(path.casefold(), file)
            if other is not file:
                raise _same_path_error(target, path, other, file)
            data = copied
            if data is None:
                data = _data(context, rule, target, templates, post_process)
            yield File(path, data)


class ReportFormat(NamedTuple):
    """A format of a report: a rule with the key ``report``, and its target."""

    rule: FileRule
    target: Target

    def render(self, contexts: Contexts) -> str:
        """The report: the one file that ``contexts`` have for the rule. Raises TargetError
        for a mistake in the target."""
        rule, target = self
        shared = {"part": ""} if target.scope == "releases" else {}
        templates = partial(_templates, contexts, target, shared)
        (context,) = _contexts(contexts, rule, target)
        post_process = _post_process(contexts, rule, target)
        return _data(context, rule, target, templates, post_process).decode()


def report_formats(
    targets: Mapping[str, Target], name: str, each: Collection[str]
) -> dict[str, ReportFormat]:
    """The formats of a report, by their names.

    These are the rules for one of ``each`` in the target ``name``, and in all others
    with its view. Of several with one name the first counts: the user's folder comes
    before the built-in targets, and in each the target ``name`` before the others.
    """

    def precedence(target: Target) -> tuple[int, bool]:
        root = target.manifest.parent.parent
        return target.roots.index(root), target.name != name

    formats: dict[str, ReportFormat] = {}
    for target in sorted(targets.values(), key=precedence):
        for rule in target.files:
            if rule.report and rule.each in each and target.view == targets[name].view:
                formats.setdefault(rule.report, ReportFormat(rule, target))
    return formats


def _templates(
    contexts: Contexts, target: Target, shared: Mapping[str, str]
) -> Templates:
    # Jinja2 takes longer to import than many a run without templates.
    from kubestencil.engine.templates import Templates

    return Templates(
        # Through the roots, a template finds what targets share: "_markdown/…".
        (*target.folders, *target.roots),
        {
            **shared,
            **contexts.shared_variables,
            "options": target.options,
            "target": target.name,
            "version": __version__,
        },
        f"{target.manifest}: files.template",
    )


def _data(
    context: FileContext,
    rule: FileRule,
    target: Target,
    templates: Callable[[], Templates],
    post_process: _PostProcess | None,
) -> bytes:
    if not rule.template:
        if context.data is None:
            raise target.error(
                f"is missing: the view provides no bytes for each = {rule.each!r}",
                "files.template",
            )
        return context.data
    text = templates().render(rule.template, context.subject, context.variables)
    return (post_process(text, context.subject) if post_process else text).encode()


def _same_path_error(
    target: Target, path: str, first: _FileOrigin, second: _FileOrigin
) -> SpecError | TargetError:
    if first.rule is not second.rule and first.rule.path == second.rule.path:
        return target.error(
            f"two rules have the path {path}, for {first.subject} and for {second.subject}",
            "files.path",
            "give the rules different paths",
        )
    if first.rule is second.rule:
        hint = f"the path {first.rule.path!r} needs a placeholder that tells them apart"
    else:
        paths = f"{first.rule.path!r} and {second.rule.path!r}"
        hint = f"give other paths to the rules {paths}"
    return SpecError(
        f"{first.subject} and {second.subject} would both be written to {path}",
        where=f"{target.manifest}: files.path",
        hint=hint,
    )


def _contexts(
    contexts: Contexts, rule: FileRule, target: Target
) -> Iterable[FileContext]:
    if rule.each not in contexts.files:
        raise target.error(
            f"the view {target.view!r} has no {rule.each!r}",
            "files.each",
            nearest(rule.each, contexts.files),
        )
    return contexts.files[rule.each]()


def _post_process(
    contexts: Contexts, rule: FileRule, target: Target
) -> _PostProcess | None:
    """The function to apply to a generated text and its subject, if there is one.

    The built-in templates generate code that a formatter leaves unchanged.
    """
    template = find_file(target.folders, rule.template)
    is_built_in = template.is_relative_to(data_file("templates"))
    if isinstance(rule.format, tuple) or (rule.format and not is_built_in):
        # Most runs format nothing.
        from kubestencil.engine.formatting import make_formatter

        return make_formatter(rule, target)
    function = contexts.post_process.get(rule.each)
    return (lambda text, _: function(text)) if function else None


def _copied_bytes(rule: FileRule, target: Target) -> bytes:
    """The bytes of the file that a rule copies, found as templates are."""
    path = find_file((*target.folders, *target.roots), rule.copy)
    if is_path(rule.copy) and path.is_file():
        return path.read_bytes()
    names = (
        file.relative_to(folder).as_posix()
        for folder in target.folders
        for file in folder.rglob("*")
    )
    raise target.error(
        f"unknown file {rule.copy}", "files.copy", nearest(rule.copy, names)
    )


def _fill_in_path(
    target: Target, rule: FileRule, context: FileContext, shared: Mapping[str, str]
) -> str:
    def filled_in(names: Mapping[str, str]) -> str:
        return _PLACEHOLDER.sub(
            lambda match: _fill_in_placeholder(
                match[1], names, context.subject, target, rule
            ),
            rule.path,
        )

    names = {**shared, **context.placeholders}
    path = filled_in(names)
    if _is_path_of(rule, path):
        return "/".join(map(portable, path.split("/")))
    # Whether it is wrong for any names, because of the rule or of an option.
    if _is_path_of(rule, filled_in(dict.fromkeys(names, "name"))):
        raise _name_error(path, context.subject, target)
    for placeholder in _PLACEHOLDER.findall(rule.path):
        option = placeholder.partition("|")[0].strip()
        if option not in names and not is_path(str(target.options[option])):
            raise UsageError(
                f"{str(target.options[option])!a} cannot be part of the path of a file",
                where=f"option {target.name}.{option}",
                hint=_PATH_HINT,
            )
    raise target.error(
        f"{path!a} cannot be the path of a file",
        "files.path",
        f"{_PATH_HINT}; one that begins with '.' has no placeholder",
    )


def _is_path_of(rule: FileRule, path: str) -> bool:
    """Whether a rule may have a path: a hidden part, which tools obey, is the rule's own,
    and not that of a document or an option."""
    return is_path(path) and all(
        part in rule.path.split("/") for part in hidden_parts(path)
    )


def has_rule_for(target: Target, path: str) -> bool:
    """Whether a rule of a target can give this path to a file, with whatever names and
    options."""
    return any(
        re.fullmatch(_pattern(rule, target), path) and _is_path_of(rule, path)
        for rule in target.files
        if rule.path
    )


def _pattern(rule: FileRule, target: Target) -> str:
    """The paths of a rule, as ``_fill_in_path`` makes them."""
    parts = []
    for part in rule.path.split("/"):
        literals = _PLACEHOLDER.split(part)[::2]
        names = [
            match.partition("|")[0].strip() for match in _PLACEHOLDER.findall(part)
        ]
        if not names:
            parts.append(re.escape(portable(part)))
            continue
        several = any(name == "path" or name in target.options for name in names)
        text = ".*" if several else "[^/]*"
        parts.append(f"(?:{text.join(map(re.escape, literals))}|{text}{_CUT})")
    return "/".join(parts)


def _name_error(path: str, subject: str, target: Target) -> SpecError:
    return SpecError(
        f"{path!a} cannot be the path of a file: {subject}",
        where=f"target {target.name}",
        hint="rename it in the spec",
    )


def _fill_in_placeholder(
    placeholder: str,
    names: Mapping[str, str],
    subject: str,
    target: Target,
    rule: FileRule,
) -> str:
    """The text of a placeholder: a name, then filters, as in ``kind|snake``.

    It is one of ``names``, else an option. Options, and the name called ``path``, may
    have several segments. Raises SpecError for any other name that has.
    """
    name, *filters = (part.strip() for part in placeholder.split("|"))
    if name in names:
        text = names[name]
    elif name in target.options:
        text = str(target.options[name])
    else:
        raise target.error(
            f"{rule.path!r} has the unknown placeholder {name!r} (each = {rule.each!r})",
            "files.path",
            nearest(name, {**target.options, **names}),
        )
    if filters:
        # They take longer to import than a report without placeholders to print.
        from kubestencil.engine.filters import PATH_FILTERS
    for function in filters:
        if function not in PATH_FILTERS:
            raise target.error(
                f"{rule.path!r} has the unknown filter {function!r}",
                "files.path",
                nearest(function, PATH_FILTERS),
            )
        text = PATH_FILTERS[function](text)
    if "/" in text and name in names and name != "path":
        raise _name_error(text, subject, target)
    return text
