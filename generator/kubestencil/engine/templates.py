"""The Jinja2 environment: strict, and with errors that name the template's line."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestencil.engine.filters import FILTERS
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.engine.template_variables import RENDERING_FUNCTIONS, variables_of
from kubestencil.errors import KubestencilError, SpecError, TargetError, nearest

if TYPE_CHECKING:
    import jinja2

_UNDEFINED = re.compile(r"'(\w+)' is undefined\Z")
_NO_FILTER = re.compile(r"No filter named '(\w+)'")
_NO_TEST = re.compile(r"No test named '(\w+)'")
_IMPORT_HINT = (
    "a macro of another file sees it if imported so: "
    "{% from … import … with context %}"
)

# Renders a template with its variables, in pieces.
_Render = Callable[[Mapping[str, Any]], list[str]]

# The characters of the texts that many files contain: more than those of seven releases
# of Kubernetes. Pages of a large catalogue of custom resources have texts in common
# with those close to them.
_CACHED_CHARACTERS = 24_000_000
# The strings whose escaped form is kept, and their length: names and links, of which
# most of a page consists.
_ESCAPED_STRINGS = 30_000
_ESCAPED_LENGTH = 200

#: The ends of the names of templates that generate HTML or XML.
ESCAPED = (".html.j2", ".xml.j2")


class _Texts(dict[Hashable, str]):
    """Texts by subject. All are dropped where they become too long together."""

    def __init__(self) -> None:
        super().__init__()
        self._length = 0

    def __setitem__(self, subject: Hashable, text: str) -> None:
        self._length += len(text)
        if self._length > _CACHED_CHARACTERS:
            self.clear()
            self._length = len(text)
        super().__setitem__(subject, text)


@cached_for_run
def _shared_texts(folders: tuple[str, ...], name: str, scope: Hashable) -> _Texts:
    """The texts of a template that ``Templates.shared`` has rendered in this process."""
    del folders, name, scope
    return _Texts()


class Templates:
    """The templates in some folders, each compiled when it is first used.

    The first folder that has a template wins. ``common`` are the variables of every
    template; ``where`` is the file and key that an error names where a template is
    missing. A template whose name ends in one of ``ESCAPED`` escapes all text; in any
    other the view or a filter does it.
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
        self.compiled: dict[str, _Render] = {}
        self.fragments: dict[str, _Texts] = {}
        self.shared_fragments: dict[str, _Texts] = {}

    def render(self, name: str, subject: str, values: Mapping[str, Any]) -> str:
        """The text of a file: the template ``name``, rendered for ``subject``.

        Raises TargetError with the template's file and line, and the subject; SpecError
        where ``declare`` does.
        """
        return "".join(self._file(name, subject, values))

    def render_bytes(self, name: str, subject: str, values: Mapping[str, Any]) -> bytes:
        """The text of a file in UTF-8; raises as ``render`` does.

        With a single dash in it, every character of a text takes two bytes in memory,
        which are slow to join and to encode. So each piece is encoded by itself.
        """
        return b"".join(map(str.encode, self._file(name, subject, values)))

    def _file(self, name: str, subject: str, values: Mapping[str, Any]) -> list[str]:
        self.declared.clear()
        self.subject = subject
        return self._render(name, subject, values)

    def _render(self, name: str, subject: str, values: Mapping[str, Any]) -> list[str]:
        render = self.compiled.get(name) or self._compile(name)
        try:
            return render(values)
        except Exception as error:
            raise self._failure(error, name, subject, values) from error

    def once(self, name: str, subject: Hashable, values: Mapping[str, Any]) -> str:
        """The text of the template ``name`` for ``subject``, rendered once and cached:
        for a text that many files contain."""
        texts = self.fragments.get(name)
        if texts is None:
            texts = self.fragments[name] = _Texts()
        text = texts.get(subject)
        return self._add(texts, name, subject, values) if text is None else text

    def shared(self, name: str, subject: Hashable, values: Mapping[str, Any]) -> str:
        """The text of the template ``name``, rendered once for equal subjects, in all
        parts of a target: for a text that files of several releases contain.

        Equal subjects have equal ``values``. A template that uses variables of a part,
        as a user's may, is rendered once for each of their values.
        """
        texts = self.shared_fragments.get(name)
        if texts is None:
            texts = _shared_texts(self.folders, name, self._scope(name))
            self.shared_fragments[name] = texts
        text = texts.get(subject)
        return self._add(texts, name, subject, values) if text is None else text

    def _add(
        self, texts: _Texts, name: str, subject: Hashable, values: Mapping[str, Any]
    ) -> str:
        from markupsafe import Markup

        text = Markup("".join(self._render(name, self.subject, values)))
        texts[subject] = text
        return text

    def _scope(self, name: str) -> Hashable:
        """The common variables that a template uses, with their values; a new object
        where it may use any."""
        variables = _variables(self.folders, name)
        if variables is None or "declare" in variables:
            return object()
        return tuple(
            (variable, repr(value))
            for variable, value in self.common.items()
            if variable in variables and variable not in RENDERING_FUNCTIONS
        )

    def declare(self, name: str, subject: str, scope: str = "") -> str:
        """``name`` itself; an error where the file being generated declares it for two
        subjects in the same scope."""
        first = self.declared.setdefault((scope, name), subject)
        if first != subject:
            within = f" in {scope}" if scope else ""
            raise SpecError(
                f"{first} and {subject} are both declared as {name}{within}",
                hint="give one of them another name, in the template or the document",
            )
        return name

    def embed(self, name: str) -> str:
        """The text of a file beside the templates as it is, without escapes."""
        from markupsafe import Markup

        environment = _environment(self.folders)
        assert environment.loader is not None
        try:
            return Markup(environment.loader.get_source(environment, name)[0])
        except UnicodeDecodeError as error:
            raise TargetError(f"{name} is not UTF-8 text") from error

    def _compile(self, name: str) -> _Render:
        import jinja2

        try:
            environment = _environment(self.folders)
            template = environment.get_template(name)
        except jinja2.TemplateSyntaxError as error:
            raise _syntax_error(error, name) from error
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
        common = {**environment.globals, **self.common}

        def render(values: Mapping[str, Any]) -> list[str]:
            # Like Template.render, which merges the globals into every context once
            # more, and that takes longer than generating most pages.
            context = template.new_context({**common, **values}, shared=True)
            try:
                return list(template.root_render_func(context))
            except Exception:
                environment.handle_exception()

        self.compiled[name] = render
        return render

    def _failure(
        self, error: Exception, name: str, subject: str, values: Mapping[str, Any]
    ) -> KubestencilError:
        import jinja2

        if isinstance(error, KubestencilError) and error.where:
            return error
        if isinstance(error, jinja2.TemplateSyntaxError):
            return _syntax_error(error, name)
        lines = list(self._template_lines(error))
        where = lines[-1] if lines else name
        if isinstance(error, KubestencilError):
            return type(error)(error.what, where=where, hint=error.hint)
        problem, _, hint = (str(error) or type(error).__name__).partition("\n  ")
        if match := _UNDEFINED.match(problem):
            names = [*values, *self.common]
            hint = _IMPORT_HINT if match[1] in names else nearest(match[1], names)
        elif match := _NO_FILTER.match(problem):
            problem, hint = f"unknown filter {match[1]!r}", _filter_hint(match[1])
        elif match := _NO_TEST.match(problem):
            problem, hint = f"unknown test {match[1]!r}", _test_hint(match[1])
        elif isinstance(error, jinja2.TemplateNotFound):
            problem = f"unknown template {error.name}"
            hint = self._template_hint(str(error.name))
        return TargetError(
            f"{problem} (while rendering {subject})", where=where, hint=hint
        )

    def _template_hint(self, name: str) -> str:
        """The templates with names similar to one that does not exist."""
        return nearest(name, _environment(self.folders).list_templates())

    def _template_lines(self, error: Exception) -> Iterator[str]:
        """The files and lines of templates that an error came through, innermost last.

        Jinja2 gives the frames of a template the template's file and line.
        """
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename.startswith(self.folders):
                yield f"{frame.f_code.co_filename}:{line}"


def _syntax_error(error: jinja2.TemplateSyntaxError, name: str) -> TargetError:
    where = f"{error.filename or name}:{error.lineno}"
    message = error.message or ""
    if match := _NO_FILTER.match(message):
        return TargetError(
            f"unknown filter {match[1]!r}", where=where, hint=_filter_hint(match[1])
        )
    return TargetError(f"is not a template: {message}", where=where)


def _filter_hint(name: str) -> str:
    """The nearest of all filters, and the names of those that are not Jinja2's."""
    from jinja2.filters import FILTERS as JINJA_FILTERS

    close = nearest(name, [*FILTERS, *JINJA_FILTERS])
    available = f"available: {', '.join(FILTERS)}, and those of Jinja2"
    return f"{close}\n  {available}" if close else available


def _test_hint(name: str) -> str:
    """The tests of Jinja2 with similar names, as in ``is defined``."""
    from jinja2.tests import TESTS

    return nearest(name, TESTS)


@cached_for_run
def _variables(folders: tuple[str, ...], name: str) -> frozenset[str] | None:
    """The variables that a template uses, where that can be said."""
    import jinja2

    try:
        return variables_of(_environment(folders), name)
    except (jinja2.TemplateError, UnicodeDecodeError):
        # Rendering it reports the mistake.
        return None


@cached_for_run
def _environment(folders: tuple[str, ...]) -> jinja2.Environment:
    """The environment for a search path. It is shared, so that a template is compiled
    once in a process.

    No compiled template is kept on disk: unpickling it from a folder that somebody
    else can write to (a shared CI cache) would run their code.
    """
    import jinja2

    from kubestencil.engine.undefined import ExplainedUndefined

    class Template(jinja2.Template):
        @classmethod
        def from_code(cls, *args: Any, **keywords: Any) -> jinja2.Template:
            template = super().from_code(*args, **keywords)
            template.root_render_func.__globals__["escape"] = _escape_function()
            return template

    class Environment(jinja2.Environment):
        context_class = _context_class()
        template_class = Template

    environment = Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=ExplainedUndefined,
        autoescape=lambda name: name is not None and name.endswith(ESCAPED),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    return environment


@cache
def _context_class() -> type[jinja2.runtime.Context]:
    """The context of templates, which calls macros and ``Templates`` directly.

    Jinja2 looks in each function for a mark that it takes the context, which takes
    longer than most calls of a page.
    """
    from jinja2.runtime import Context, Macro

    class DirectContext(Context):
        def call(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
            if function.__class__ is Macro:
                args = (self.eval_ctx, *args)
            elif getattr(function, "__self__", None).__class__ is not Templates:
                return super().call(function, *args, **keywords)
            # What Jinja2 adds for functions that take the context.
            keywords.pop("_block_vars", None)
            keywords.pop("_loop_vars", None)
            return function(*args, **keywords)

    return DirectContext


@cache
def _escape_function() -> Callable[[Any], str]:
    """What templates escape their output with: ``markupsafe.escape``, without copying
    what is escaped, and with the result for short strings, which pages repeat."""
    from markupsafe import Markup, escape

    escape_short = lru_cache(_ESCAPED_STRINGS)(escape)

    def escape_output(value: Any) -> str:
        kind = value.__class__
        if kind is Markup:
            return value  # type: ignore[no-any-return]
        if kind is str and len(value) < _ESCAPED_LENGTH:
            return escape_short(value)
        return escape(value)

    return escape_output
