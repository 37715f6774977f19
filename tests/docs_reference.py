"""Generates the reference parts of docs/ from the code and the manifests.

Run ``python -m tests.docs_reference`` after changing a command, an option or a
manifest; ``tests/test_docs.py`` fails where a page is out of date. A page marks each
generated part::

    <!-- generated: commands -->
    …
    <!-- end -->
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import click

from kubestencil.checking import RULES as CHECK_RULES
from kubestencil.cli import cli
from kubestencil.cli.settings import settings
from kubestencil.diff import RULES, Rule
from kubestencil.engine import Target, load_targets
from kubestencil.project.file import FILE, GENERATE, Setting, Settings
from kubestencil.targets import generate_files
from tests.conftest import ROOT, all_commands, make_release

DOCS = ROOT / "docs"
PAGES = (
    DOCS / "check-reference.md",
    DOCS / "cli.md",
    DOCS / "targets.md",
    *sorted((DOCS / "targets").glob("*.md")),
)

PROJECT_SCHEMA = DOCS / "kubestencil.schema.json"

_PART = re.compile(
    r"(?P<start><!-- generated: (?P<name>[a-z]+)(?: (?P<argument>[\w-]+))? -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
_PROGRAM = re.compile(r"^```(?!sh$)\w+$.*?^```$", re.DOTALL | re.MULTILINE)


def with_generated_parts(text: str) -> str:
    """A page with its generated parts as they should be."""
    return _PART.sub(_replacement, text)


def update(page: Path) -> bool:
    """Bring a page up to date; whether it had to change."""
    old = page.read_text("utf-8")
    new = with_generated_parts(old)
    page.write_text(new, "utf-8")
    return new != old


def table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A Markdown table; pipes in cells are escaped."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n"
        for line in lines
    )


def _replacement(match: re.Match[str]) -> str:
    argument = match["argument"] or ""
    if match["name"] == "commands":
        text = commands()
    elif match["name"] == "rules":
        text = rules()
    elif match["name"] == "checks":
        text = checks()
    elif match["name"] == "targets":
        text = targets()
    elif match["name"] == "program":
        text = program(argument)
    elif match["name"] == "reproduced":
        text = reproduced(load_targets(None)[argument])
    else:
        raise ValueError(f"unknown generated part: {match['name']}")
    return f"{match['start']}{text}{match['end']}"


#: An option as ``--help`` shows it: its names and its meaning.
_Option = tuple[str, str]


def commands() -> str:
    """The reference of all commands, from the definitions that --help shows; options that
    several have are explained once."""
    top = cli.make_context("kubestencil", [], resilient_parsing=True)
    contexts = [
        click.Context(command, top, info_name=command.name, max_content_width=400)
        for command in all_commands().values()
    ]
    options = [list(_options(context)) for context in contexts]
    counts = Counter(option for command in options for option in command)
    common = {option for option, count in counts.items() if count > 1}
    text = "".join(map(_command, contexts, options, repeat(common)))
    shared = "".join(map(_option, sorted(common, key=_sort_key)))
    return f"{text}\n## Common options\n\n{shared}\n"


def _options(context: click.Context) -> Iterator[_Option]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        is_help = "--help" in parameter.opts
        if isinstance(parameter, click.Option) and record is not None and not is_help:
            yield record[0], " ".join(record[1].split())


def _command(
    context: click.Context, options: Sequence[_Option], common: Collection[_Option]
) -> str:
    usage = context.command.get_usage(context).removeprefix("Usage: ")
    help_text = context.command.help or ""
    lines = "\n".join(line.strip() for line in help_text.splitlines())
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", lines.strip())
    own = "".join(_option(option) for option in options if option not in common)
    shared = sorted({_long_name(option) for option in options if option in common})
    also = ", ".join(f"`{name}`" for name in shared)
    parts = [f"```text\n{usage}\n```", text, own.rstrip()]
    parts += [f"Common options: {also}"] if also else []
    body = "\n\n".join(part for part in parts if part)
    return f"\n## {context.command.name}\n\n{body}\n"


def _option(option: _Option) -> str:
    return f"- `{option[0]}`: {option[1]}\n"


def _long_name(option: _Option) -> str:
    match = re.search(r"--[\w-]+", option[0])
    assert match is not None
    return match[0]


def _sort_key(option: _Option) -> tuple[str, _Option]:
    return _long_name(option), option


def checks() -> str:
    """The rules of ``kubestencil check``."""
    lines = "".join(
        f"- `{rule.id}` ({rule.severity}): {rule.reason}\n"
        for rule in CHECK_RULES.values()
    )
    return f"\n{lines}\n"


def rules() -> str:
    """The rules that assign severities to changes, in the order in which they apply."""
    lines = "".join(
        f"- `{rule.name}` ({_severities(rule)}): {rule.reason}\n" for rule in RULES
    )
    return f"\n{lines}\n"


def _severities(rule: Rule) -> str:
    """The severity of a rule, or those for each audience where they differ."""
    severities = [impact.severity for impact in rule.audience]
    return " / ".join(severities if len({*severities}) > 1 else severities[:1])


def targets() -> str:
    """All targets with their pages."""
    rows = (
        (f"[{name}](targets/{name}.md)", target.about)
        for name, target in load_targets(None).items()
    )
    return f"\n{table(('target', 'what it generates'), rows)}\n"


def program(target: str) -> str:
    """The program in the README that a target generates; tests of the target run it."""
    kind = {"group": "apps", "version": "v1", "kind": "Deployment"}
    deployment = {
        "properties": {"metadata": {"type": "object"}},
        "x-kubernetes-group-version-kind": [kind],
    }
    release = make_release({"io.k8s.api.apps.v1.Deployment": deployment})
    files = generate_files(release, load_targets(None)[target])
    (readme,) = (file.data.decode() for file in files if file.path == "README.md")
    match = _PROGRAM.search(readme)
    assert match is not None
    return f"\n{match[0]}\n\n"


def reproduced(target: Target) -> str:
    """The quirks and fixups of a target, with the reasons in its manifest."""
    text = ""
    for title, entries in (("quirk", target.quirks), ("fixup", target.fixups)):
        if entries:
            rows = ((f"`{name}`", _reason(body)) for name, body in entries.items())
            text += f"\n{table((title, 'reason'), rows)}\n"
    return text or "\nNo quirks or fixups.\n\n"


def _reason(body: Any) -> str:
    link = f" ([source]({body['link']}))" if "link" in body else ""
    return f"{body['reason']}{link}".replace("<", "&lt;")


def project_schema() -> str:
    """The JSON Schema of kubestencil.toml."""
    return json.dumps(json_schema(settings(cli)), indent=2) + "\n"


def json_schema(settings: Settings) -> Mapping[str, Any]:
    """The JSON Schema of project files, for editors."""
    tables = {name: _table_schema(table) for name, table in settings.items()}
    required = ("output", "target")
    entry = {**tables.pop(GENERATE), "required": list(required)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FILE,
        "type": "object",
        "properties": {GENERATE: {"type": "array", "items": entry}, **tables},
        "additionalProperties": False,
    }


def _table_schema(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": dict(map(_property, settings.values())),
        "additionalProperties": False,
    }


def _property(setting: Setting) -> tuple[str, Mapping[str, Any]]:
    names = {bool: "boolean", int: "integer", str: "string", list: "array"}
    items = {"items": {"type": "string"}} if setting.type is list else {}
    about = {"description": setting.about} if setting.about else {}
    return setting.name, {"type": names[setting.type], **items, **about}


if __name__ == "__main__":
    PROJECT_SCHEMA.write_text(project_schema())
    for path in PAGES:
        print(f"{path.relative_to(ROOT)}: {'updated' if update(path) else 'current'}")
