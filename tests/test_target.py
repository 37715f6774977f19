"""Manifests and templates: what they can contain, and how mistakes are reported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest

from kubestencil.engine import load_targets, read_options
from kubestencil.errors import KubestencilError, SpecError, TargetError, UsageError
from kubestencil.targets import generate_files
from tests.conftest import POD, SMALL, Command, make_release, read_files

MANIFEST = """
about = "A test"
view = "markdown"

[[files]]
each = "definition"
path = "{name}.txt"
template = "page.j2"

[types]
any = "any"
list = "{}[]"
map = "{}{}"
"""


def make(
    folder: Path, manifest: str = MANIFEST, template: str = "{{ model.name }}"
) -> Path:
    """A folder of targets with one target, ``mine``."""
    target = folder / "targets" / "mine"
    target.mkdir(parents=True)
    (target / "target.toml").write_text(manifest)
    (target / "page.j2").write_text(template)
    return folder / "targets"


def generated(folder: Path, name: str = "mine") -> dict[str, str]:
    target = load_targets(folder)[name]
    files = generate_files(make_release(SMALL), target)
    return {file.path: file.data.decode() for file in files}


def test_a_new_target_is_a_folder(tmp_path: Path) -> None:
    assert generated(make(tmp_path)) == {"V1Pod.txt": "V1Pod"}


def test_a_template_of_the_users_shadows_a_built_in_one(tmp_path: Path) -> None:
    folder = tmp_path / "markdown"
    folder.mkdir()
    (folder / "model.md.j2").write_text("mine: {{ model.name }}")
    files = generated(tmp_path, "markdown")
    assert files["docs/V1Pod.md"] == "mine: V1Pod"
    assert "Documentation For Models" in files["README.md"]


COPY = MANIFEST.replace('template = "page.j2"', 'copy = "page.j2"')


def test_a_copied_file_is_no_template_and_keeps_its_bytes(tmp_path: Path) -> None:
    folder = make(tmp_path, COPY)
    text = b"{{ model.nam }}\r\n\xff\n"
    (folder / "mine/page.j2").write_bytes(text)
    files = list(generate_files(make_release(SMALL), load_targets(folder)["mine"]))
    assert [(file.path, file.data) for file in files] == [("V1Pod.txt", text)]


def test_a_users_file_shadows_one_that_a_built_in_target_copies(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "python/kubernetes_models"
    folder.mkdir(parents=True)
    (folder / "_yaml.py").write_text("# mine")
    files = generated(tmp_path, "python")
    assert files["kubernetes_models/_yaml.py"] == "# mine"
    assert "class Model(" in files["kubernetes_models/_base.py"]


def test_options_are_set_by_name_and_type() -> None:
    target = load_targets(None)["markdown"].with_options({"package": "my_client"})
    page, *_ = generate_files(make_release(SMALL), target)
    assert b"from my_client.client.models.v1_pod import V1Pod" in page.data
    with pytest.raises(UsageError, match="no option 'packag'"):
        target.with_options({"packag": "x"})


@dataclass(frozen=True)
class Options:
    package: str
    style: Literal["short", "long"] = "short"
    pages: bool = True


@pytest.mark.parametrize(
    ("options", "message", "where"),
    [
        ("pakage = 'a'", "is missing", "options.package"),
        ("package = 1", "must be a string", "options.package"),
        ("package = 'a'\npages = 1", "must be a boolean", "options.pages"),
        ("package = 'a'\nstyle = 'longer'", "unknown value 'longer'", "options.style"),
    ],
)
def test_options_have_the_names_and_types_that_the_view_declares(
    tmp_path: Path, options: str, message: str, where: str
) -> None:
    folder = make(tmp_path, f"{MANIFEST}\n[options]\n{options}")
    with pytest.raises(TargetError, match=message) as caught:
        read_options(load_targets(folder)["mine"], Options)
    assert str(caught.value.where).endswith(where)


def test_options_that_the_manifest_lacks_have_the_defaults_of_the_view(
    tmp_path: Path,
) -> None:
    folder = make(tmp_path, f'{MANIFEST}\n[options]\npackage = "a"\ntitle = "b"')
    assert read_options(load_targets(folder)["mine"], Options) == Options("a")


def test_a_quirk_can_be_dropped(tmp_path: Path) -> None:
    """Without the quirk, a field that refers to a model keeps its description."""
    (tmp_path / "markdown").mkdir()
    (tmp_path / "markdown" / "target.toml").write_text(
        'extends = "markdown"\n[quirks.silent-references]\ndrop = true\n'
    )
    assert "(V1Pod.md) | A pod. | " in generated(tmp_path, "markdown")["docs/V1Pod.md"]
    assert "(V1Pod.md) |  | " in _built_in_page()


def _built_in_page() -> str:
    files = generate_files(make_release(SMALL), load_targets(None)["markdown"])
    return next(file.data.decode() for file in files if "V1Pod" in file.path)


EXTENDING = """
extends = "mine"
about = "A test that extends a test"

[[files]]
each = "definition"
path = "{name}.txt"
template = "other.j2"

[[files]]
each = "release"
path = "{package}.txt"
template = "page.j2"

[options]
package = "acme"

[types]
any = "anything"
"""


def extend(folder: Path, manifest: str = EXTENDING, name: str = "other") -> Path:
    """A folder of targets with ``mine``, and one that extends it."""
    targets = make(folder)
    (targets / name).mkdir(exist_ok=True)
    (targets / name / "target.toml").write_text(manifest)
    return targets


def test_a_target_inherits_what_its_manifest_does_not_have(tmp_path: Path) -> None:
    targets = load_targets(extend(tmp_path))
    mine, other = targets["mine"], targets["other"]
    assert other.extends == "mine"
    assert other.about == "A test that extends a test"
    assert (other.view, other.scope) == (mine.view, mine.scope)
    assert other.types == {**mine.types, "any": "anything"}
    assert [(rule.path, rule.template) for rule in other.files] == [
        ("{name}.txt", "other.j2"),
        ("{package}.txt", "page.j2"),
    ]
    assert other.folders == (tmp_path / "targets/other", *mine.folders)


def test_a_target_inherits_only_what_it_names(tmp_path: Path) -> None:
    """The macros of a language and its types, without its files and its package."""
    folder = tmp_path / "fields"
    folder.mkdir()
    (folder / "target.toml").write_text("""
        extends = "typescript"
        inherit = ["types", "options"]
        [options.name]
        drop = true
        [[files]]
        each = "group-version"
        path = "{group}/{version}.txt"
        template = "fields.txt.j2"
        [types]
        string = "Text"
    """)
    (folder / "fields.txt.j2").write_text(
        '{% from "module.d.ts.j2" import type with context %}\n'
        "{% for definition in group_version.definitions %}"
        "{% for field in definition.fields %}"
        "{{ definition.kind }}.{{ field.name }}: {{ type(field) }}\n"
        "{% endfor %}{% endfor %}"
    )
    target = load_targets(tmp_path)["fields"]
    inherited = load_targets(None)["typescript"].options
    assert target.options.keys() == inherited.keys() - {"name"}
    assert target.size == (0, 0)
    (file,) = generate_files(make_release(SMALL), target)
    assert file.data.decode() == "Pod.name: Text\nPod.next: Pod\n"


def test_a_file_of_the_extended_target_can_be_dropped(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    manifest = 'extends = "markdown"\n[[files]]\neach = "release"\npath = "README.md"\n'
    (tmp_path / "pages" / "target.toml").write_text(f"{manifest}drop = true")
    assert "README.md" in generated(tmp_path, "markdown")
    assert generated(tmp_path, "pages").keys() == (
        generated(tmp_path, "markdown").keys() - {"README.md"}
    )


def test_a_folder_with_the_name_of_a_target_adds_a_file_to_it(tmp_path: Path) -> None:
    (tmp_path / "markdown").mkdir()
    (tmp_path / "markdown" / "target.toml").write_text("""
        extends = "markdown"
        [[files]]
        each = "release"
        path = "names.txt"
        template = "names.txt.j2"
    """)
    (tmp_path / "markdown" / "names.txt.j2").write_text("{{ release }}")
    files = generated(tmp_path, "markdown")
    assert files.pop("names.txt") == "test"
    assert files["docs/V1Pod.md"] == _built_in_page()
    assert "README.md" in files


def test_a_template_reaches_the_one_that_it_shadows(tmp_path: Path) -> None:
    """By its own name: in a target that extends another, and then in a folder with the
    name of a built-in target."""
    targets = extend(tmp_path, 'extends = "markdown"', "other")
    (targets / "markdown").mkdir()
    shadow = '{% extends "NAME" %}\n{% block header %}{{ super() }}SHADOW{% endblock %}'
    for folder, name in (
        ("other", "README.md.j2"),
        ("markdown", "markdown/README.md.j2"),
    ):
        template = shadow.replace("NAME", name).replace("SHADOW", folder)
        (targets / folder / "README.md.j2").write_text(template)
    (targets / "markdown" / "model.md.j2").write_text(
        'before\n{% include "model.md.j2" %}\nafter'
    )
    files = generated(targets, "other")
    page = files["docs/V1Pod.md"]
    assert page == f"before\n{_built_in_page()}after"
    readme = generated(targets, "other")["README.md"]
    header, other, rest = readme.partition("markdownother")
    assert header.startswith("# ") and other and "Documentation For Models" in rest


def test_a_template_that_shadows_none_can_include_itself(tmp_path: Path) -> None:
    template = (
        "{{ n }}{% if n %}{% with n = n - 1 %}{% include 'page.j2' %}{% endwith %}"
        "{% endif %}"
    )
    folder = make(tmp_path, template=f"{{% set n = n | default(3) %}}{template}")
    assert generated(folder) == {"V1Pod.txt": "3210"}


def test_filters_of_a_target_are_in_its_folder(tmp_path: Path) -> None:
    """Those beside the folders are for all targets."""
    folder = make(tmp_path, template="{{ model.name | shout | end }} {{ '1' | camel }}")
    (folder / "mine" / "filters.py").write_text(
        "import re\n\n\ndef shout(text: str) -> str:\n"
        '    """Capitals."""\n    return re.sub("[a-z]", _upper, text)\n\n\n'
        "def _upper(match):\n    return match[0].upper()\n\n\n"
        "def camel(text):\n    return 'mine'\n"
    )
    (folder / "filters.py").write_text(
        "from os.path import join as end\n__all__ = ['end']\n"
    )
    assert generated(folder) == {"V1Pod.txt": "V1POD mine"}
    assert not list(folder.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("code", "message", "line"),
    [
        ("def f(:", "cannot be run: SyntaxError", 1),
        ("\nimport nothing_of_this_name", "ModuleNotFoundError", 2),
        ("def shout(text):\n\n    return 1 / 0", "division by zero", 3),
        ("def shuot(text): pass", "unknown filter 'shout'\n  did you mean shuot", 0),
    ],
)
def test_a_mistake_in_a_filter_is_named_with_its_line(
    tmp_path: Path, code: str, message: str, line: int
) -> None:
    folder = make(tmp_path, template="{{ model.name | shout }}")
    (folder / "mine" / "filters.py").write_text(code)
    with pytest.raises(TargetError) as caught:
        generated(folder)
    assert message in str(caught.value)
    assert caught.value.where == (
        f"{folder}/mine/filters.py:{line}" if line else f"{folder}/mine/page.j2:1"
    )


@pytest.mark.parametrize(
    ("manifest", "name", "message"),
    [
        ('extends = "mien"', "other", "unknown target 'mien'\n  did you mean mine?"),
        ('extends = "other"', "other", "no other folder has a target 'other'"),
        (
            'extends = "mine"\n[quirks.x]\ndrop = true',
            "other",
            "is not inherited",
        ),
        (
            'extends = "mine"\n[[files]]\neach = "definition"\npath = "{nam}.txt"\n'
            "drop = true",
            "other",
            "is not inherited\n  did you mean {name}.txt",
        ),
        ("extends = 1", "other", "must be a string"),
        (
            'extends = "mine"\ninherit = ["option"]',
            "other",
            "inherit: unknown value 'option'\n  did you mean options?",
        ),
    ],
)
def test_a_mistake_in_what_a_target_extends_is_named(
    tmp_path: Path, manifest: str, name: str, message: str
) -> None:
    with pytest.raises(TargetError) as caught:
        load_targets(extend(tmp_path, manifest, name))
    assert message in str(caught.value)
    assert caught.value.where.startswith(f"{tmp_path}/targets/{name}/target.toml: ")


def test_targets_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    folder = extend(tmp_path)
    (folder / "mine" / "target.toml").write_text('extends = "other"')
    with pytest.raises(TargetError, match="mine extends other extends mine"):
        load_targets(folder)


@pytest.mark.parametrize(
    ("manifest", "message", "where"),
    [
        ("about = ", "is not TOML", "target.toml"),
        ("about = 'x'", "is missing", "target.toml: view"),
        (MANIFEST.replace("markdown", "markdwon"), "did you mean markdown", "view"),
        (MANIFEST.replace('each = "definition"', 'each = "model"'), "model", "files"),
        (
            MANIFEST.replace("page.j2", "gone.j2"),
            "unknown template gone.j2",
            "template",
        ),
        (
            MANIFEST.replace("{name}", "{nam}"),
            "unknown placeholder 'nam'",
            "files.path",
        ),
        (MANIFEST + "\n[quirks.none]\nreason = 'x'", "is a quirk that", "quirks.none"),
        (MANIFEST + "\n[quirks.open-pipes]", "needs a reason", "quirks.open-pipes"),
        (MANIFEST + "\n[spelling]\nacronyms = 'x'", "unknown value 'x'", "acronyms"),
        (MANIFEST + "\n[spelling]\nx = 1", "unknown key 'x'", "spelling.x"),
        (MANIFEST.replace('any = "any"', ""), "is missing", "types.any"),
        ("sizes = 1\n" + MANIFEST, "unknown key 'sizes'", "target.toml"),
        (MANIFEST.replace("about", "abuot"), "unknown key 'abuot'", "target.toml"),
        (MANIFEST.replace("about", "abuot"), "did you mean about?", "target.toml"),
        (MANIFEST.replace("path =", "paht ="), "did you mean path?", "files"),
        (MANIFEST.replace('"definition"', '"defintion"'), "mean definition?", "each"),
        (MANIFEST.replace("{name}", "{nmae}"), "did you mean name?", "files.path"),
        (MANIFEST.replace("{name}", "{name|snaek}"), "mean snake?", "files.path"),
        (MANIFEST.replace("{name}", "{name"), "has an unmatched brace", "files.path"),
        (MANIFEST.replace("{name}", "{}"), "unknown placeholder ''", "files.path"),
        (MANIFEST + "\n[options]\na = []", "must be a string", "options.a"),
        (MANIFEST.replace("[[files]]", "[files]"), "write [[files]]", "files"),
        (MANIFEST.replace("page.j2", "paeg.j2"), "did you mean page.j2", "template"),
        (MANIFEST.replace("{name}", "../x"), "a path is relative", "files.path"),
        (COPY.replace("page.j2", "paeg.j2"), "did you mean page.j2", "files.copy"),
        (COPY.replace("page.j2", "../x/y.j2"), "unknown file", "files.copy"),
        (COPY.replace("copy", "template = 'x'\ncopy"), "as it is", "files.template"),
        (COPY.replace("copy", "format = 'black'\ncopy"), "as it is", "files.format"),
    ],
)
def test_a_mistake_in_a_manifest_is_named_with_its_key(
    tmp_path: Path, manifest: str, message: str, where: str
) -> None:
    with pytest.raises(TargetError) as caught:
        generated(make(tmp_path, manifest))
    assert message in str(caught.value)
    assert where in caught.value.where


@pytest.mark.parametrize(
    ("template", "message", "line"),
    [
        ("a\nb\n{% for %}", "is not a template", 3),
        ("a\n{{ model.nam }}", "has no attribute 'nam'", 2),
        ("a\n\n{{ modle }}", "'modle' is undefined", 3),
        ("a\n{{ modle }}", "did you mean model?", 2),
        ("a\n{{ model.nam }}", "did you mean name", 2),
        ("{{ model.fields[0].nmae }}", r"did you mean name\?\n  available: name, ", 1),
        ("{{ options.packag }}", "the mapping has no key 'packag'", 1),
        (
            "a\n{{ model.name | snaek }}",
            "unknown filter 'snaek'\n  did you mean snake",
            2,
        ),
        ("{% if x is y %}{% endif %}", "unknown test 'y'", 1),
        ("{% if x is defnied %}{% endif %}", "did you mean defined", 1),
        ("{{ none.name }}", "none has no attribute 'name'.*\n  .*test it first", 1),
        (
            "{% include 'paeg.j2' %}",
            "unknown template paeg.j2.*\n  did you mean page.j2",
            1,
        ),
        ("{{ declare('a', 'x') }}\n{{ declare('a', 'y') }}", "x and y are both", 2),
        ("{% if 1 %}{{ 1 | snaek }}{% endif %}", "unknown filter 'snaek'", 1),
        ("{% for x in 3 %}{% endfor %}", "not iterable", 1),
        ("a\n{{ 1 / 0 }}", "division by zero", 2),
        ("{% include 'page.j2' %}", "recursion", 1),
    ],
)
def test_a_mistake_in_a_template_is_named_with_its_line_and_definition(
    tmp_path: Path, template: str, message: str, line: int
) -> None:
    folder = make(tmp_path, template=template)
    with pytest.raises((TargetError, SpecError), match=message) as caught:
        generated(folder)
    assert caught.value.where == f"{folder}/mine/page.j2:{line}"
    assert POD in str(caught.value) or any(
        text in str(caught.value)
        for text in ("is not a template", "unknown filter", "are both declared")
    )


@pytest.mark.parametrize(
    "path", ["../{name}", "/{name}", "a//{name}", "{version}", "a\\{name}"]
)
def test_no_path_leaves_the_targets_folder(tmp_path: Path, path: str) -> None:
    manifest = MANIFEST.replace("{name}.txt", path.replace("\\", "\\\\"))
    with pytest.raises(KubestencilError):
        generated(make(tmp_path, manifest.replace("{version}", "..")))


def test_an_option_can_be_several_folders(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("{name}", "{folder}/{name}")
    folder = make(tmp_path, f'{manifest}\n[options]\nfolder = "com/acme"')
    assert list(generated(folder)) == ["com/acme/V1Pod.txt"]
    for value in ("", "/com", "com//acme", "com/../acme", "com/"):
        target = load_targets(folder)["mine"].with_options({"folder": value})
        with pytest.raises(UsageError, match="cannot be part of the path") as caught:
            list(generate_files(make_release(SMALL), target))
        assert caught.value.where == "option mine.folder"


def test_a_placeholder_that_is_no_option_is_one_folder(tmp_path: Path) -> None:
    release = replace(make_release(SMALL), origin="specs/1.35.json")
    folder = make(tmp_path, MANIFEST.replace("{name}", "{origin}"))
    with pytest.raises(SpecError, match="cannot be the path of a file"):
        list(generate_files(release, load_targets(folder)["mine"]))


def test_the_folder_of_a_target_is_not_a_folder_of_targets(tmp_path: Path) -> None:
    folder = make(tmp_path)
    with pytest.raises(UsageError, match=f"name the folder around it: {folder}$"):
        load_targets(folder / "mine")


def test_two_definitions_with_one_path_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path, MANIFEST.replace("{name}", "same"))
    two = make_release({**SMALL, "v1.Other": {"properties": {}}})
    with pytest.raises(SpecError, match=r"would both be written to same\.txt"):
        list(generate_files(two, load_targets(folder)["mine"]))


def test_a_description_is_never_rendered_as_a_template(tmp_path: Path) -> None:
    spec = make_release({"v1.A": {"description": "{{ 7 * 7 }}", "properties": {}}})
    folder = make(tmp_path, template="{{ model.description }}")
    (file,) = generate_files(spec, load_targets(folder)["mine"])
    assert file.data == b"{{ 7 * 7 }}"


def test_two_rules_with_one_path_are_refused_before_anything_is_written(
    run: Command, tmp_path: Path, small: Path
) -> None:
    """Whether the path is fixed, or two placeholders happen to give the same."""
    arguments = ("render", "--spec", str(small), "-t", "mine", "--templates", "targets")
    rule = '[[files]]\neach = "{}"\npath = "{}"\ntemplate = "page.j2"\n'
    start = 'about = "A test"\nview = "model"\n'
    first = rule.format("release", "a.txt")
    folder = make(tmp_path, start + first, "{{ model.name }}")
    assert run(*arguments).returncode == 0
    before = read_files(tmp_path / "generated")
    for second in (
        first,
        rule.format("definition", "a.txt"),
        rule.format("definition", "{options}.txt").replace("{options}", "{a}"),
        rule.format("definition", "A.txt"),
    ):
        (folder / "mine" / "target.toml").write_text(
            f'{start}{second}{rule.format("release", "b.txt")}{first}'
            '[options]\na = "a"\n'
        )
        done = run(*arguments)
        assert done.returncode == 1, second
        assert "a.txt" in done.stderr.lower()
        problems = ("rules have the path", "would both be written to")
        assert any(problem in done.stderr for problem in problems)
        assert "Traceback" not in done.stderr
        assert read_files(tmp_path / "generated") == before


def test_an_error_in_a_macro_of_another_file_names_that_file(tmp_path: Path) -> None:
    folder = make(tmp_path, template="{% from 'm.j2' import m %}\n\n{{ m(model) }}")
    (folder / "mine" / "m.j2").write_text(
        "{% macro m(model) %}\n{{ model.name | quote('cobol') }}{% endmacro %}"
    )
    with pytest.raises(TargetError, match="unknown language 'cobol'") as caught:
        generated(folder)
    assert caught.value.where == f"{folder}/mine/m.j2:2"


def test_a_macro_that_lacks_its_context_is_told_from_a_wrong_name(
    tmp_path: Path,
) -> None:
    folder = make(tmp_path, template="{% from 'm.j2' import m %}{{ m() }}")
    (folder / "mine" / "m.j2").write_text("{% macro m() %}{{ target }}{% endmacro %}")
    with pytest.raises(TargetError, match=r"'target' is undefined.*\n.*with context"):
        generated(folder)


def test_an_error_in_a_template_generated_once_is_reported_once(tmp_path: Path) -> None:
    folder = make(tmp_path, template="{{ once('part.j2', 'part', {'model': model}) }}")
    (folder / "mine" / "part.j2").write_text("\n{{ model.nam }}")
    with pytest.raises(TargetError, match="has no attribute 'nam'") as caught:
        generated(folder)
    assert caught.value.where == f"{folder}/mine/part.j2:2"
    assert str(caught.value).count("has no attribute") == 1


SORT = 'format = ["sort", "-r"]\n'


def test_a_command_formats_what_a_rule_generates(
    run: Command, tmp_path: Path, small: Path
) -> None:
    """And what it prints is compared by --check."""
    manifest = MANIFEST.replace("\n\n[types]", f"\n{SORT}\n[types]")
    make(tmp_path, manifest, "a\nb\n{{ model.name }}\n")
    arguments = ("render", "--spec", str(small), "-t", "mine", "--templates", "targets")
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    path, *_ = (tmp_path / "generated").rglob("V1Pod.txt")
    assert path.read_text() == "b\na\nV1Pod\n"
    assert run(*arguments, "--check").returncode == 0
    path.write_text("V1Pod\na\nb\n")
    assert run(*arguments, "--check").returncode == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('["no-such-formatter"]', "no-such-formatter cannot be run: No such file"),
        ('["sh", "-c", "echo bad >&2; exit 3"]', "cannot format the output for"),
        ('["sh", "-c", "echo bad >&2; exit 3"]', ": bad"),
        ('["sh", "-c", "exit 3"]', ": status 3"),
        ("[]", "must be a command"),
        ("[1]", "must be a command"),
        ("1", "must be a string or list"),
    ],
)
def test_a_command_that_cannot_format_is_named(
    tmp_path: Path, command: str, message: str
) -> None:
    manifest = MANIFEST.replace("\n\n[types]", f"\nformat = {command}\n\n[types]")
    with pytest.raises(TargetError) as caught:
        generated(make(tmp_path, manifest))
    assert message in str(caught.value)


def test_an_installed_package_brings_targets(
    run: Command, tmp_path: Path, small: Path
) -> None:
    make(tmp_path / "site-packages").rename(tmp_path / "site-packages" / "acme_targets")
    package = tmp_path / "site-packages" / "acme_targets"
    (package / "__init__.py").write_text("")
    metadata = tmp_path / "site-packages" / "acme_targets-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: acme-targets\nVersion: 1.0\n")
    entry = metadata / "entry_points.txt"
    entry.write_text("[kubestencil.targets]\nacme = acme_targets\n")
    run.environment["PYTHONPATH"] += f":{tmp_path / 'site-packages'}"
    assert "mine           A test" in run("targets").stdout
    done = run("render", "--spec", str(small), "-t", "mine")
    assert done.returncode == 0, done.stderr
    assert next((tmp_path / "generated").rglob("V1Pod.txt")).read_text() == "V1Pod"
    entry.write_text("[kubestencil.targets]\nacme = acme_targest\n")
    done = run("targets")
    assert done.returncode == 1
    assert "acme_targest is not a package" in done.stderr


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("typescript/REDAME.md.j2", "did you mean README.md.j2?"),
        ("typescrip/README.md.j2", "did you mean typescript?"),
        ("shared/macros.j2", "not begin with _"),
    ],
)
def test_a_template_that_replaces_nothing_is_refused(
    tmp_path: Path, path: str, message: str
) -> None:
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_text("x")
    with pytest.raises(TargetError) as caught:
        load_targets(tmp_path)
    assert message in str(caught.value)


def test_a_template_that_an_own_template_uses_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "typescript").mkdir()
    (tmp_path / "typescript/README.md.j2").write_text("{% include 'more.j2' %}")
    (tmp_path / "typescript/more.j2").write_text("x")
    assert "typescript" in load_targets(tmp_path)


def test_filters_of_a_placeholder_are_applied_in_turn(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("{name}", "{name|snake|upper}-{ release | pascal }")
    assert list(generated(make(tmp_path, manifest))) == ["V1_POD-Test.txt"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("broken.nothing", "cannot be imported: No module named 'broken'"),
        ("json", "does not implement kubestencil.engine.View"),
    ],
)
def test_a_view_of_a_package_that_is_broken_is_named(
    run: Command, tmp_path: Path, entry: str, message: str, small: Path
) -> None:
    metadata = tmp_path / "site" / "broken-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: broken\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[kubestencil.views]\nbroken = {entry}\n"
    )
    run.environment["PYTHONPATH"] += f":{tmp_path / 'site'}"
    make(tmp_path, MANIFEST.replace('"markdown"', '"broken"'))
    done = run("render", "--spec", str(small), "-t", "mine", "--templates", "targets")
    assert done.returncode == 1
    assert message in done.stderr
    assert "target.toml: view" in done.stderr
    make(tmp_path / "x", MANIFEST.replace('"markdown"', '"brokn"'))
    done = run("render", "--spec", str(small), "-t", "mine", "--templates", "x/targets")
    assert "did you mean broken?" in done.stderr
