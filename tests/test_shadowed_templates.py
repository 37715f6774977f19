"""A user's variation of any template has the effect that it has in the template, and no
other: nothing reads or rewrites what a template has rendered."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kubestencil import load
from kubestencil.engine import load_targets
from kubestencil.engine.manifest import FileRule
from kubestencil.schema import Release
from tests.conftest import ROOT, Command, load_with_crds
from tests.python_crds import GADGET
from tests.site_pages import Tags
from tests.strategies import generate_all_files

TEMPLATES = ROOT / "templates"
TARGETS = load_targets(None)
_COMMENTS = {
    ".md.j2": "<!-- mine -->",
    ".py.j2": "# mine",
    ".pyi.j2": "# mine",
    ".rs.j2": "// mine",
    ".go.j2": "// mine",
    ".mod.j2": "// mine",
    ".toml.j2": "# mine",
    ".libsonnet.j2": "// mine",
    ".ts.j2": "// mine",
    ".txt.j2": "mine",
    ".csv.j2": "mine",
    ".json.j2": " ",
}
_TAG = re.compile(r"<([a-z][a-z0-9]*)(?=[\s>{])")
_ATTRIBUTE = re.compile(' mine=(?:1|"1")')


def _varied(name: str, template: str) -> str:
    """A template with one more attribute in each tag, or with a comment at its end."""
    if name.endswith((".html.j2", ".xml.j2")):
        # A tag may be in a string of the template.
        attribute = "mine=1" if name.endswith(".html.j2") else 'mine="1"'
        return _TAG.sub(rf"<\1 {attribute}", template)
    suffix = next((suffix for suffix in _COMMENTS if name.endswith(suffix)), None)
    return f"{template}\n{_COMMENTS[suffix]}\n" if suffix else template


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that shadows each template of each target with a variation."""
    folder = tmp_path_factory.mktemp("mine")
    for path in sorted(TEMPLATES.rglob("*.j2")):
        shadow = folder / path.relative_to(TEMPLATES)
        shadow.parent.mkdir(parents=True, exist_ok=True)
        shadow.write_text(_varied(path.name, path.read_text("utf-8")))
    return folder


@cache
def _releases() -> tuple[Release, ...]:
    """Two releases: inline objects, cycles of references and custom groups."""
    kinds = ["CustomResourceDefinition", "Ingress", "Event", "Scale"]
    newer = load("1.35", kinds=kinds)
    return load("1.34", kinds=kinds), newer


def _generated(folder: Path | None, name: str) -> Mapping[str, str]:
    target = load_targets(folder)[name]
    releases = _releases() if target.min_releases > 1 else _releases()[1:]
    files = generate_all_files(releases, target)
    return {file.path: file.data.decode(errors="replace") for file in files}


def _check_html(text: str) -> None:
    counts = Counter(attributes.get("id") for _, attributes in Tags(text).tags)
    del counts[None]
    assert not {name for name, count in counts.items() if count > 1}


def _lines(text: str) -> list[str]:
    return [
        line
        for line in text.splitlines()
        if line.strip() and line.strip() not in _COMMENTS.values()
    ]


def _without_attributes(text: str) -> str:
    return _ATTRIBUTE.sub("", text)


def _syntax(text: str) -> str:
    return ast.dump(ast.parse(text))


# What a variation leaves as it is, by the ends of file names; a text that is not valid
# raises an error.
_CONTENTS: Mapping[str, Callable[[str], object]] = {
    ".html": _without_attributes,
    ".xml": _without_attributes,
    ".py": _syntax,
    ".pyi": _syntax,
    ".json": json.loads,
    ".toml": tomllib.loads,
}


def _compare(suffix: str, varied: str, built_in: str) -> None:
    """Check that a file is valid, and differs from the built-in one in the variation
    only."""
    content = _CONTENTS.get(suffix, _lines)
    assert content(varied) == content(built_in)
    if suffix == ".html":
        _check_html(varied)
    if suffix == ".xml":
        ElementTree.fromstring(varied)


@pytest.mark.parametrize(
    "name", [name for name, target in TARGETS.items() if target.scope != "manifests"]
)
def test_a_variation_of_each_template_changes_nothing_else(
    name: str, mine: Path
) -> None:
    built_in = _generated(None, name)
    varied = _generated(mine, name)
    assert varied.keys() == built_in.keys()
    for path, text in varied.items():
        _compare(Path(path).suffix, text, built_in[path])
    assert varied != built_in


@pytest.mark.parametrize(
    "rule", [rule for rule in TARGETS["check"].files if rule.template]
)
def test_a_variation_of_a_report_on_a_check_changes_nothing_else(
    rule: FileRule, mine: Path, run: Command
) -> None:
    manifest = "apiVersion: apps/v1\nkind: Deployment\nspec: {replica: 1}\n"
    (run.folder / "deployment.yaml").write_text(manifest)
    arguments = ("check", "deployment.yaml", "--to", "1.35", "-f", rule.report)
    built_in = run(*arguments)
    varied = run(*arguments, "--templates", str(mine))
    assert built_in.returncode == varied.returncode == 1
    assert varied.stdout != built_in.stdout
    suffix = Path(rule.template.removesuffix(".j2")).suffix
    _compare(suffix, varied.stdout, built_in.stdout)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("template", "subject", "path"),
    [
        ("model.py.j2", "model", "kubernetes_models/models/v1_pod.py"),
        ("custom_kind.py.j2", "class", "kubernetes_models/example_com/v1/_gadget.py"),
    ],
)
def test_blocks_of_a_python_module_can_be_replaced(
    template: str, subject: str, path: str, tmp_path: Path
) -> None:
    """The rest of the module stays, and so does what is beside it."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / template).write_text(
        f'{{% extends "{template}" %}}\n'
        "{% block header %}\n# Copyright Acme\n{% endblock %}\n"
        "{% block docstring %}\n"
        f"    {{{{ ({subject}.name ~ '.') | comment('python', 84) }}}}\n"
        "{% endblock %}\n"
    )
    release = load_with_crds("1.35", [GADGET])
    texts, built_in = (
        {
            file.path: file.data.decode()
            for file in generate_all_files([release], load_targets(folder)["python"])
        }
        for folder in (tmp_path, None)
    )
    assert texts[path].startswith("# Copyright Acme\n")
    modules = [ast.parse(files[path]) for files in (texts, built_in)]
    classes = [
        [node for node in module.body if isinstance(node, ast.ClassDef)]
        for module in modules
    ]
    for mine, theirs in zip(*classes, strict=True):
        assert ast.get_docstring(mine) == f"{mine.name}."
        mine.body[0] = theirs.body[0]
    assert ast.dump(modules[0]) == ast.dump(modules[1])
    other = "kubernetes_models/__init__.py"
    assert texts[other] == built_in[other]
