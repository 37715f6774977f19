"""The Jinja2 environment: strict, and with errors that name the template's line."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestencil.errors import TargetError
from kubestencil.version import __version__

if TYPE_CHECKING:
    import jinja2

Print = Callable[[Mapping[str, Any]], str]

#: The ends of the names of templates that print HTML or XML.
ESCAPED = (".html.j2", ".xml.j2")


class Templates:
    """The templates in some folders, each compiled when it is first used.

    The first folder that has a template wins. ``common`` are the variables that
    every template sees; ``where`` is what asks for the templates, and is named
    where one is missing. A template whose name ends in one of ``ESCAPED`` has all text
    escaped; for any other the view does it, for the place that the text goes to.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        common: Mapping[str, Any],
        where: str,
    ) -> None:
        self.folders = tuple(str(folder) for folder in folders)
        self.common = {**common, "once": self.once}
        self.where = where
        self.compiled: dict[str, Print] = {}
        self.fragments: dict[tuple[str, str], str] = {}

    def render(self, name: str, subject: str, values: Mapping[str, Any]) -> str:
        """What the template ``name`` prints of ``subject``.

        Raises TargetError with the template's file and line, and the subject.
        """
        printed = self.compiled.get(name) or self._compile(name)
        try:
            return printed(values)
        except Exception as error:
            raise self._failure(error, name, subject) from error

    def once(self, name: str, subject: str, values: Mapping[str, Any]) -> str:
        """What the template ``name`` prints of ``subject``, which is printed only the
        first time: a piece that many files have in common.

        It is for templates, and marked as a piece of what they print.
        """
        from markupsafe import Markup

        key = name, subject
        if key not in self.fragments:
            self.fragments[key] = Markup(self.render(name, subject, values))
        return self.fragments[key]

    def _compile(self, name: str) -> Print:
        import jinja2

        try:
            environment = _environment(self.folders)
            template = environment.get_template(name)
        except jinja2.TemplateSyntaxError as error:
            raise TargetError(
                f"is not a template: {error.message}",
                where=f"{error.filename or name}:{error.lineno}",
            ) from error
        except jinja2.TemplateNotFound as error:
            raise TargetError(
                f"there is no template {error.name}", where=self.where
            ) from error
        except UnicodeDecodeError as error:
            raise TargetError(
                f"the template {name} is not UTF-8 text", where=self.where
            ) from error
        everywhere = {**environment.globals, **self.common}

        def printed(values: Mapping[str, Any]) -> str:
            # What Template.render does, but for its merging of the globals into
            # each context, which takes longer than most pages.
            context = template.new_context({**everywhere, **values}, shared=True)
            try:
                return "".join(template.root_render_func(context))
            except Exception:
                return environment.handle_exception()

        self.compiled[name] = printed
        return printed

    def _failure(self, error: Exception, name: str, subject: str) -> TargetError:
        import jinja2

        if isinstance(error, jinja2.TemplateSyntaxError):
            place = f"{error.filename or name}:{error.lineno}"
            return TargetError(f"is not a template: {error.message}", where=place)
        lines = list(self._template_lines(error))
        place = lines[-1] if lines else name
        problem = str(error) or type(error).__name__
        return TargetError(f"{problem} (while printing {subject})", where=place)

    def _template_lines(self, error: Exception) -> Iterator[str]:
        """The places in templates that an error came through, innermost last.

        Jinja2 gives the frames of a template the template's file and line.
        """
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename.startswith(self.folders):
                yield f"{frame.f_code.co_filename}:{line}"


@cache
def _bytecode_cache() -> jinja2.BytecodeCache | None:
    import jinja2
    from platformdirs import user_cache_path

    # Jinja2's key has the template's text but none of the settings below.
    folder = user_cache_path("kubestencil") / f"templates-{__version__}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    return jinja2.FileSystemBytecodeCache(str(folder), "__jinja2_by_name_%s.cache")


@cache
def _environment(folders: tuple[str, ...]) -> jinja2.Environment:
    """One environment a search path, so that a template is compiled once in a process,
    and, by way of the user's cache folder, once on a machine."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        bytecode_cache=_bytecode_cache(),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(ESCAPED),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
