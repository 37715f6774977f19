"""The Jinja2 environment: strict, and with errors that name the template's line."""

from __future__ import annotations

import re
import traceback
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.tests import TESTS
from markupsafe import Markup

from kubestencil.engine.environment import Environment
from kubestencil.engine.run_cache import cached_for_build, cached_for_run
from kubestencil.errors import KubestencilError, SpecError, TargetError, nearest

_UNDEFINED = re.compile(r"'(\w+)' is undefined\Z")
_NO_FILTER = re.compile(r"No filter named '(\w+)'")
_NO_TEST = re.compile(r"No test named '(\w+)'")
# More than a release of Kubernetes needs; a catalogue of custom resources would take
# hundreds of megabytes.
_MAX_FRAGMENTS = 5_000
# The characters of the texts that parts share: those of some releases of Kubernetes.
_MAX_SHARED_CHARACTERS = 16_000_000
_IMPORT_HINT = (
    "a macro of another file sees it if imported so: "
    "{% from … import … with context %}"
)


class _SharedTexts(dict[Hashable, str]):
    """Texts by subject; the oldest ones are dropped where all are too long together."""

    def __init__(self) -> None:
        super().__init__()
        self._length = 0

    def add(self, subject: Hashable, text: str) -> None:
        """Add the text of a subject."""
        self[subject] = text
        self._length += len(text)
        while self._length > _MAX_SHARED_CHARACTERS and len(self) > 1:
            self._length -= len(self.pop(next(iter(self))))


@cached_for_build
def _shared_texts(folders: tuple[str, ...], options: str) -> _SharedTexts:
    """The texts that the parts of a target with some options have in common."""
    del folders, options
    return _SharedTexts()


class Templates:
    """The templates in some folders, each compiled when it is first used.

    The first folder that has a template wins. ``common`` are the variables of every
    template; ``where`` is the file and key that an error names where a template is
    missing. A template for HTML or XML escapes all text; in any other the view or a
    filter does it.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        common: Mapping[str, Any],
        where: str,
    ) -> None:
        self.folders = tuple(str(folder) for folder in folders)
        self.common = {
            **common,
            "once": self.once,
            "shared": self.shared,
            "declare": self.declare,
            "embed": self.embed,
        }
        self.where = where
        self.subject = ""
        self.declared: dict[tuple[str, str], str] = {}
        self.compiled: dict[str, jinja2.Template] = {}
        self.fragments: dict[tuple[str, Hashable], str] = {}
        options = repr(common.get("options"))
        self.shared_texts = _shared_texts(self.folders, options)

    def render(self, name: str, subject: str, values: Mapping[str, Any]) -> str:
        """The text of a file: the template ``name``, rendered for ``subject``.

        Raises TargetError with the template's file and line, and the subject; SpecError
        where ``declare`` does.
        """
        self.declared.clear()
        self.subject = subject
        return self._render(name, subject, values)

    def _render(self, name: str, subject: str, values: Mapping[str, Any]) -> str:
        template = self.compiled.get(name) or self._compile(name)
        try:
            return template.render({**self.common, **values})
        except Exception as error:
            raise self._failure(error, name, subject, values) from error

    def once(self, name: str, subject: Hashable, values: Mapping[str, Any]) -> str:
        """The text of the template ``name`` for ``subject``, rendered once and cached
        as long as there is room: for a text that many files contain."""
        key = name, subject
        fragment = self.fragments.get(key)
        if fragment is None:
            fragment = Markup(self._render(name, self.subject, values))
            if len(self.fragments) >= _MAX_FRAGMENTS:
                self.fragments.clear()
            self.fragments[key] = fragment
        return fragment

    def shared(self, name: str, subject: Hashable, values: Mapping[str, Any]) -> str:
        """The same for all parts of a target in a process: equal subjects of several
        releases have one text, which has ``values`` and nothing else of its release."""
        key = name, subject
        text = self.shared_texts.get(key)
        if text is None:
            text = Markup(self._render(name, self.subject, values))
            self.shared_texts.add(key, text)
        return text

    def declare(self, name: str, subject: str, scope: str = "") -> str:
        """``name`` itself; an error where the file being generated declares it for two
        subjects in the same scope."""
        first = self.declared.setdefault((scope, name), subject)
        if first != subject:
            within = f" in {scope}" if scope else ""
            raise SpecError(
                f"{first} and {subject} are both declared as {name}{within}",
                hint="give one of them another name, in the template or the spec",
            )
        return name

    def embed(self, name: str) -> str:
        """The text of a file beside the templates as it is, without escapes."""
        try:
            return Markup(_environment(self.folders).read(name))
        except UnicodeDecodeError as error:
            raise TargetError(f"{name} is not UTF-8 text") from error

    def _compile(self, name: str) -> jinja2.Template:
        try:
            template = _environment(self.folders).find(name)
        except jinja2.TemplateSyntaxError as error:
            raise self._syntax_error(error, name) from error
        except jinja2.TemplateNotFound as error:
            raise TargetError(
                f"unknown template {error.name}",
                where=self.where,
                hint=self._template_hint(name),
            ) from error
        except UnicodeDecodeError as error:
            raise TargetError(
                f"the template {name} is not UTF-8 text", where=self.where
            ) from error
        self.compiled[name] = template
        return template

    def _failure(
        self, error: Exception, name: str, subject: str, values: Mapping[str, Any]
    ) -> KubestencilError:
        if isinstance(error, KubestencilError) and error.where:
            return error
        if isinstance(error, jinja2.TemplateSyntaxError):
            return self._syntax_error(error, name)
        lines = list(self._template_lines(error))
        where = lines[-1] if lines else name
        if isinstance(error, KubestencilError):
            return type(error)(error.what, where=where, hint=error.hint)
        problem, _, hint = (str(error) or type(error).__name__).partition("\n  ")
        if match := _UNDEFINED.match(problem):
            names = [*values, *self.common]
            hint = _IMPORT_HINT if match[1] in names else nearest(match[1], names)
        elif match := _NO_FILTER.match(problem):
            problem, hint = f"unknown filter {match[1]!r}", self._filter_hint(match[1])
        elif match := _NO_TEST.match(problem):
            problem, hint = f"unknown test {match[1]!r}", nearest(match[1], TESTS)
        elif isinstance(error, jinja2.TemplateNotFound):
            problem = f"unknown template {error.name}"
            hint = self._template_hint(str(error.name))
        return TargetError(
            f"{problem} (while rendering {subject})", where=where, hint=hint
        )

    def _syntax_error(
        self, error: jinja2.TemplateSyntaxError, name: str
    ) -> TargetError:
        where = f"{error.filename or name}:{error.lineno}"
        message = error.message or ""
        if match := _NO_FILTER.match(message):
            hint = self._filter_hint(match[1])
            return TargetError(f"unknown filter {match[1]!r}", where=where, hint=hint)
        return TargetError(f"is not a template: {message}", where=where)

    def _filter_hint(self, name: str) -> str:
        """The nearest of all filters, and the names of those that are not Jinja2's."""
        names = _environment(self.folders).filters
        close = nearest(name, names)
        own = [name for name in names if names[name] is not JINJA_FILTERS.get(name)]
        available = f"available: {', '.join(own)}, and those of Jinja2"
        return f"{close}\n  {available}" if close else available

    def _template_hint(self, name: str) -> str:
        """The templates with names similar to one that does not exist."""
        return nearest(name, _environment(self.folders).template_names())

    def _template_lines(self, error: Exception) -> Iterator[str]:
        """The files and lines of templates that an error came through, innermost last.

        Jinja2 gives the frames of a template the template's file and line.
        """
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename.startswith(self.folders):
                yield f"{frame.f_code.co_filename}:{line}"


@cached_for_run
def _environment(folders: tuple[str, ...]) -> Environment:
    """The environment for a search path. It is shared, so that a template is compiled
    once in a process."""
    return Environment(folders)
