"""Renders the templates of reports in the formats that people read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

from kubestencil.data_files import data_file
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import TargetError
from kubestencil.targets.diff.changes import Escape
from kubestencil.targets.diff.links import NO_LINKS, LinkResolver
from kubestencil.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

    from kubestencil.text.terminal import Role

#: The formats that a report can have.
Format = Literal["text", "markdown", "html", "json"]
#: The formats of a comparison: also a short Markdown for release notes, and annotations
#: of GitHub Actions.
ComparisonFormat = Literal["text", "markdown", "html", "json", "release-note", "github"]
#: The formats that have templates.
TemplateFormat = Literal["text", "markdown", "html"]
#: The reports that have templates: those named ``report.*``, ``release-note.*``,
#: ``history.*``, ``index.*``.
TemplateName = Literal["report", "release-note", "history", "index"]

FORMATS: tuple[Format, ...] = get_args(Format)

TemplateFolders = tuple[Path, ...]
#: The folder of the built-in templates.
BUILT_IN_TEMPLATES: TemplateFolders = (data_file("templates") / "diff",)

_TEMPLATE_SUFFIXES: Mapping[TemplateFormat, str] = {
    "text": "txt",
    "markdown": "md",
    "html": "html",
}
# Deleted and inserted words in a text without colours, as "git diff --word-diff" marks
# them.
_PLAIN_MARKS = {"del": "[-{}-]", "ins": "{{+{}+}}"}


@dataclass(frozen=True, slots=True)
class Layout:
    """What reports are laid out with.

    ``templates`` are the template folders, of which the first that has a template wins.
    ``variables`` are additional variables of all templates, ``links`` finds the pages
    that HTML reports link to.
    """

    templates: TemplateFolders = BUILT_IN_TEMPLATES
    variables: Mapping[str, Any] = field(default_factory=dict)
    links: LinkResolver = NO_LINKS


class PageAssets(NamedTuple):
    """What makes an HTML page self-contained; for HTML templates only.

    ``style`` and ``script`` are the stylesheet and the script, to be embedded.
    ``policy`` is a content security policy that allows these two and nothing else, not
    even access to the network.
    """

    style: Markup
    script: Markup
    policy: str


class Paint(Protocol):
    """Colours text for a terminal, or marks deleted and inserted text where there are
    no colours; for text templates only."""

    def __call__(self, text: str, role: Role) -> str:
        """``text`` in the colour of its role: a severity, ``del``, ``ins``, ``strong``
        or ``dim``."""
        ...


def template_folders(user_templates: Path | None) -> TemplateFolders:
    """The template folders of reports: the folder ``diff`` of the user's templates, if
    there is one, before the built-in one, whose templates it shadows."""
    if user_templates is None or not (user_templates / "diff").is_dir():
        return BUILT_IN_TEMPLATES
    return (user_templates / "diff", *BUILT_IN_TEMPLATES)


def escape_for(format_name: TemplateFormat) -> Escape:
    """The function that makes any text literal text in a format."""
    if format_name == "markdown":
        from kubestencil.text import markdown

        return markdown.literal
    if format_name == "text":
        from kubestencil.text import controls

        return controls.one_line
    # Jinja2 escapes all text that an HTML template generates.
    return str


def render_template(
    name: TemplateName,
    format_name: TemplateFormat,
    title: str,
    variables: Mapping[str, Any],
    layout: Layout,
    *,
    colour: bool = False,
) -> str:
    """Render a report; ``colour`` applies to the format ``text``.

    Raises TargetError for a mistake in a template, with its file and line.
    """
    from kubestencil.engine.templates import Templates

    templates = Templates(
        layout.templates,
        {"version": __version__, **_format_variables(format_name, layout, colour)},
        str(layout.templates[0]),
    )
    return templates.render(
        f"{name}.{_TEMPLATE_SUFFIXES[format_name]}.j2",
        title,
        {"title": title, **variables, **layout.variables},
    )


def _format_variables(
    format_name: TemplateFormat, layout: Layout, colour: bool
) -> Mapping[str, Any]:
    if format_name == "text":
        return {"paint": _terminal_paint() if colour else _plain_paint}
    if format_name == "html":
        return {"page": _page_assets(layout.templates)}
    return {}


@cached_for_run
def _page_assets(folders: TemplateFolders) -> PageAssets:
    from markupsafe import Markup

    style, script = (_read_asset(folders, name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_csp_hash(style)}; "
        f"script-src {_csp_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return PageAssets(Markup(style), Markup(script), policy)


def _read_asset(folders: TemplateFolders, name: str) -> str:
    from kubestencil.engine.manifest import find_file

    path = find_file(folders, name)
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError("is not UTF-8 text", where=str(path)) from error


def _csp_hash(text: str) -> str:
    """The source expression that allows an embedded style or script
    (https://www.w3.org/TR/CSP3/#grammardef-hash-source)."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _terminal_paint() -> Paint:
    from kubestencil.text import terminal

    return terminal.colored


def _plain_paint(text: str, role: Role) -> str:
    return _PLAIN_MARKS.get(role, "{}").format(text)
