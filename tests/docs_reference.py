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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from kubestencil.checking import RULES as CHECK_RULES
from kubestencil.cli import cli
from kubestencil.cli.settings import settings
from kubestencil.diff import RULES
from kubestencil.engine import Target, load_targets
from kubestencil.project.file import FILE, GENERATE, Setting, Settings
from kubestencil.targets import generate_files
from tests.conftest import ROOT, all_commands, make_release

DOCS = ROOT / "docs"
PAGES = (
    DOCS / "checking-manifests.md",
    DOCS / "cli.md",
    DOCS / "comparing-releases.md",
    DOCS / "targets.md",
    *sorted((DOCS / "targets").glob("*.md")),
)

PROJECT_SCHEMA = DOCS / "kubestencil.schema.json"

_VERBS = ("added", "changed", "removed")

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


def commands() -> str:
    """The reference of all commands, from the definitions that --help shows."""
    top = cli.make_context("kubestencil", [], resilient_parsing=True)
    return "".join(
        f"\n## {name}\n\n{_command(command, top)}\n"
        for name, command in all_commands().items()
    )


def _command(command: click.Command, parent: click.Context) -> str:
    context = click.Context(
        command, parent, info_name=command.name, max_content_width=400
    )
    usage = command.get_usage(context).removeprefix("Usage: ")
    lines = "\n".join(line.strip() for line in (command.help or "").splitlines())
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", lines.strip())
    records = (
        parameter.get_help_record(context)
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
    )
    rows = (
        (f"`{record[0]}`", " ".join(record[1].split()))
        for record in records
        if record is not None
    )
    return f"```text\n{usage}\n```\n\n{text}\n\n{table(('option', 'meaning'), rows)}"


def checks() -> str:
    """The rules of ``kubestencil check``."""
    rows = (
        (f"`{rule.id}`", rule.severity, rule.reason) for rule in CHECK_RULES.values()
    )
    return f"\n{table(('rule', 'severity', 'reason'), rows)}\n"


def rules() -> str:
    """The rules that assign severities to changes, in the order in which they apply."""
    header = ("rule", "severity", "apply, compile, controller", "changes", "reason")
    rows = (
        (
            f"`{rule.name}`",
            rule.severity,
            ", ".join(impact.severity for impact in rule.audience),
            ", ".join(f"`{change}`" for change in _collapsed(rule.changes)),
            rule.reason,
        )
        for rule in RULES
    )
    return f"\n{table(header, rows)}\n"


def _collapsed(changes: frozenset[str]) -> Iterator[str]:
    """The names of changes, ``X-*`` for X-added, X-changed and X-removed."""
    for change in sorted(changes):
        keyword = change.rpartition("-")[0]
        if {f"{keyword}-{verb}" for verb in _VERBS} <= changes:
            if change.endswith(_VERBS[0]):
                yield f"{keyword}-*"
        else:
            yield change


def targets() -> str:
    """All targets with their pages."""
    rows = (
        (f"[{name}](targets/{name}.md)", target.about)
        for name, target in load_targets(None).items()
    )
    return f"\n{table(('target', 'what it generates'), rows)}\n"


def program(target: str) -> str:
    """The program in the README that a target generates; tests of the target run it."""
    release = make_release({"com.example.v1.Foo": {}})
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
