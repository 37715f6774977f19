"""The Jinja2 environment of templates: where they are found, and what they can use."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import jinja2

from kubestencil.engine.filters import FILTERS, load_filters
from kubestencil.engine.members import member_names
from kubestencil.errors import nearest

#: The ends of the names of templates that generate HTML or XML.
ESCAPED = (".html.j2", ".xml.j2")
# What separates the message of an UndefinedError from its hint: Jinja2 raises it with
# nothing but a message.
_HINT = "\n  "
_NONE_HINT = (
    "what the attribute is read from can be none: test it first, with {% if … %}"
)


class Environment(jinja2.Environment):
    """An environment that finds templates by the paths of their files.

    No compiled template is kept on disk: unpickling it from a folder that somebody
    else can write to (a shared CI cache) would run their code.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(
            loader=jinja2.FunctionLoader(self._read),
            undefined=ExplainedUndefined,
            autoescape=lambda name: name is not None and name.endswith(ESCAPED),
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
        )
        self.filters.update({**FILTERS, **load_filters(folders)})
        self._folders = folders
        self._located: dict[tuple[str, str], str] = {}
        self._files: set[str] = set()

    def find(self, name: str) -> jinja2.Template:
        """The template ``name``, compiled."""
        return self.get_template(self.join_path(name, ""))

    def read(self, name: str) -> str:
        """The text of the file ``name``. Raises TemplateNotFound where there is none,
        UnicodeDecodeError where it is no text."""
        assert self.loader is not None
        return self.loader.get_source(self, self.join_path(name, ""))[0]

    def join_path(self, template: str, parent: str) -> str:
        """The file of the template that is called ``template`` in the file ``parent``;
        the name itself where there is none.

        It is the first that the folders have. A file that shadows others means the one
        that it shadows by its own name: ``parent`` is followed by the next.
        """
        key = template, parent
        if key not in self._located:
            files = self._candidates(template)
            next_file = files.index(parent) + 1 if parent in files else 0
            self._located[key] = [*files[next_file:], *files, template][0]
        return self._located[key]

    def template_names(self) -> list[str]:
        """The names of all templates in the folders."""
        return sorted(
            {
                path.relative_to(folder).as_posix()
                for folder in self._folders
                for path in Path(folder).rglob("*.j2")
            }
        )

    def _candidates(self, name: str) -> list[str]:
        """The files that a name can mean, of which each shadows those after it."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if ".." in parts or "\\" in name:
            return []
        paths = (posixpath.join(folder, *parts) for folder in self._folders)
        files = [file for file in dict.fromkeys(paths) if Path(file).is_file()]
        self._files.update(files)
        return files

    def _read(self, file: str) -> tuple[str, str, None] | None:
        # Not a name that no folder has, even if it is the path of some file.
        if file not in self._files:
            return None
        return Path(file).read_text("utf-8"), file, None


class ExplainedUndefined(jinja2.StrictUndefined):
    """An undefined value that names the attributes that its object has."""

    __slots__ = ()

    def _fail_with_undefined_error(self, *_: Any, **__: Any) -> NoReturn:
        value, name = self._undefined_obj, self._undefined_name
        is_variable = value is _NO_OBJECT or not isinstance(name, str)
        if not self._undefined_hint and not is_variable:
            self._undefined_hint = _explanation(value, str(name))
        super()._fail_with_undefined_error()

    # StrictUndefined has the method of its base class under these names.
    __str__ = __iter__ = __len__ = __bool__ = _fail_with_undefined_error
    __eq__ = __ne__ = __hash__ = _fail_with_undefined_error


# The owner of a variable that is undefined, as Jinja2 has it.
_NO_OBJECT = jinja2.Undefined()._undefined_obj


def _explanation(value: Any, name: str) -> str:
    """Why a value has no attribute ``name``, and a hint after ``_HINT``."""
    if value is None:
        return f"none has no attribute {name!r}{_HINT}{_NONE_HINT}"
    if isinstance(value, Mapping):
        message = f"the mapping has no key {name!r}"
    else:
        message = f"{type(value).__name__} has no attribute {name!r}"
    hint = nearest(name, _attributes(value))
    return f"{message}{_HINT}{hint}" if hint else message


def _attributes(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [key for key in value if isinstance(key, str)]
    return member_names(type(value))
