"""``kubestencil targets NAME``: the reference of a target says what its templates get."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any

import pytest

from kubestencil.checking import Report
from kubestencil.engine import Contexts, Target, load_targets
from kubestencil.engine.filters import FILTERS
from kubestencil.engine.members import meaning, members, type_name
from kubestencil.engine.reference import documented_classes, reference
from kubestencil.engine.view import quirks_of
from kubestencil.targets import load_any_view, load_multi_release_view, load_view
from kubestencil.targets.check.view import check_contexts
from tests.conftest import Command, load, load_with_crds
from tests.rust_crds import GADGET

TARGETS = list(load_targets(None).values())
RELEASES = ("1.34", "1.35")


def all_contexts(target: Target) -> Iterator[Contexts]:
    """The contexts of a target for two releases, part by part; of one with a custom kind."""
    releases = [load(name) for name in RELEASES]
    if target.scope == "release":
        release = load_with_crds(RELEASES[-1], [GADGET])
        yield load_view(target).make_contexts(release, target)
        return
    if target.scope == "manifests":
        report = Report("1.34", "1.35", (), 0, 0, 0, 0, ())
        yield check_contexts(report, "error", lambda _: b"")
        return
    view = load_multi_release_view(target)
    with TemporaryDirectory() as folder:
        (Path(folder) / "page.md").write_text("# A page")
        (Path(folder) / "picture.svg").write_text("<svg/>")
        if target.name == "site":
            options = {"pages": folder, "url": "https://example.com/"}
            target = target.with_options(options)
        for part in view.divide(RELEASES, lambda: releases, target):
            chosen = [release for release in releases if release.name in part.releases]
            yield view.make_part_contexts(part.name, chosen, part.context(), target)


def is_a(value: Any, annotation: Any) -> bool:
    """Whether a value has a type; of a collection, whether its first item has."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return True
    if origin is typing.Annotated:
        return is_a(value, arguments[0])
    if origin in (typing.Union, UnionType):
        return any(is_a(value, argument) for argument in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is None:
        return isinstance(value, annotation or type(None))
    if not isinstance(value, origin):
        return False
    if isinstance(value, Mapping):
        return all(
            is_a(key, arguments[0]) and is_a(value[key], arguments[1])
            for key in list(value)[:1]
        )
    if isinstance(value, Sequence | frozenset):
        types: Iterable[Any] = (
            arguments if arguments[-1] is not ... else [arguments[0]] * len(value)
        )
        if origin is not tuple:
            types = [arguments[0]] * len(value)
        return all(map(is_a, list(value)[:1], types))
    return True


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_reference_has_every_variable_and_no_other(target: Target) -> None:
    """What ``EACH`` of a view documents is what the contexts of its files contain."""
    documented = load_any_view(target).EACH
    generated: set[str] = set()
    for contexts in all_contexts(target):
        for name, make in contexts.files.items():
            each = documented[name]
            for context in make():
                generated.add(name)
                assert context.placeholders.keys() == each.placeholders.keys(), name
                if context.data is not None:
                    continue
                variables = {**contexts.shared_variables, **context.variables}
                assert variables.keys() == each.variables.keys(), name
                for variable, annotation in each.variables.items():
                    assert is_a(variables[variable], annotation), (
                        name,
                        f"{variable}: {type_name(annotation)}",
                        type(variables[variable]),
                    )
    assert generated <= documented.keys()
    assert documented.keys() - generated <= {rule.each for rule in target.files} | {
        "overlay"
    }


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_each_rule_of_a_manifest_uses_a_documented_each(target: Target) -> None:
    assert {rule.each for rule in target.files} <= load_any_view(target).EACH.keys()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_reference_names_everything(target: Target) -> None:
    view = load_any_view(target)
    text = reference(target, view)
    assert text.startswith(f"{target.name}: {target.about}\n")
    for option in target.options:
        assert f"\n  {option} = " in text
    words = " ".join(text.split())
    for name, each in view.EACH.items():
        assert f"\neach = {name!r}\n" in text
        for placeholder in each.placeholders:
            assert f"\n  {{{placeholder}}}  " in text
        for variable, annotation in each.variables.items():
            line = f"{variable}: {type_name(annotation)} {meaning(annotation)}"
            assert f" {line.rstrip()} " in words
    for name in (*FILTERS, *quirks_of(view), *target.quirks, *target.fixups):
        assert f"\n  {name}  " in text
    for cls in documented_classes(view.EACH.values()):
        assert f"\nType {cls.__name__}" in text
        for member in members(cls):
            assert member.name in text
    assert max(map(len, text.splitlines())) <= 200


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_classes_that_templates_get_are_documented(target: Target) -> None:
    for cls in documented_classes(load_any_view(target).EACH.values()):
        assert cls.__doc__, cls
        assert not cls.__doc__.startswith(f"{cls.__name__}("), cls
        for member in members(cls):
            if isinstance(vars(cls).get(member.name), property):
                assert member.summary, (cls, member.name)


def test_the_command_documents_one_target_and_lists_all(run: Command) -> None:
    one = run("targets", "typescript")
    assert one.returncode == 0
    assert (
        "  kinds: tuple[LinkedDefinition, ...]  The definitions that manifests"
        in one.stdout
    )
    assert '  name = "kubernetes-api-types"' in one.stdout
    assert "  {group}  the group: core, apps," in one.stdout
    assert (
        "  {name}  the option; not where each is 'definition' or 'kind', which have "
        "their own {name}\n"
    ) in one.stdout.replace("\n      {name}", " {name}")
    every = run("targets")
    assert every.returncode == 0
    assert "typescript.name=kubernetes-api-types" in every.stdout


def test_an_unknown_target_is_a_usage_error(run: Command) -> None:
    done = run("targets", "typscript")
    assert done.returncode == 2
    assert "unknown target 'typscript'" in done.stderr
    assert "did you mean typescript?" in done.stderr


def test_a_target_of_the_users_is_documented(run: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "words"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(
        'about = "Words"\nview = "model"\n[options]\nlong = true\nlength = 3\n'
        '[[files]]\neach = "release"\npath = "a"\ntemplate = "b"\n'
    )
    done = run("targets", "words", "--templates", "mine")
    assert done.returncode == 0
    assert "  long = true\n  length = 3\n" in done.stdout
    assert "  {long}  the option" in done.stdout
