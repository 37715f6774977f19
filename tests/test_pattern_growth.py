"""Every regular expression of the package and of the Python that it generates takes time that grows with the length of the
text, whatever the text is: twice the text, at most 2.5 times the time.

Expressions are looked for in the code: one that is added is tested, or fails the test.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from tests.conftest import ROOT
from tests.growth import assert_proportional, processor_time
from tests.near_misses import NearMiss, near_misses

_PACKAGE = ROOT / "generator"
_METHODS = frozenset(
    ["search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"]
)
# Short texts first: an expression may take exponential time.
_LENGTHS = (20, 30, 40, 1_000, 8_000)
# No call that takes 8,000 characters so long is quadratic.
_SHORT = 0.002

# A variable of a template with an expression.
_COMPILED = re.compile(r"^(_[A-Z_]+) = (re\.compile\()", re.MULTILINE)

# Expressions that are not of this package: what they are, by module and what is called.
_OF_USERS = {
    ("kubestencil.targets.jsonnet.library", "prefix"): "an option",
    ("kubestencil.targets.jsonnet.paths", "prefix or BUILT_IN_PREFIX"): "an option",
}


class Expression(NamedTuple):
    """A regular expression of the package, and the methods that are called."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


@cache
def _modules() -> dict[str, ast.Module]:
    """The modules of the package by name."""
    modules = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = path.relative_to(_PACKAGE).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        modules[name] = ast.parse(path.read_text())
    return modules


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.expr, ast.Call]]:
    """The calls of functions of ``re`` that have an expression: the function, the
    expression and the call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            function = node.func
            if ast.unparse(function.value) == "re" and (
                function.attr == "compile" or function.attr in _METHODS
            ):
                yield function.attr, node.args[0], node


def _expressions() -> Iterator[Expression]:
    for module, tree in _modules().items():
        variables = _variables(tree)
        for function, argument, call in _calls(tree):
            if (module, ast.unparse(argument)) in _OF_USERS:
                continue
            name = f"{module}:{call.lineno}"
            if function == "compile":
                pattern = _evaluate(call, module)
                methods = _methods(module, variables.get(call))
            else:
                pattern = re.compile(_evaluate(argument, module), _flags(call, module))
                methods = frozenset([function])
            yield Expression(name, pattern, methods)


def _evaluate(node: ast.expr, module: str) -> Any:
    """The value of an expression of a module. A NameError shows a regular expression
    that is made while the program runs: it needs a variable of its module."""
    code = compile(ast.Expression(node), module, "eval")
    return eval(code, vars(import_module(module)))


def _flags(call: ast.Call, module: str) -> int:
    flags = [word.value for word in call.keywords if word.arg == "flags"]
    return sum(int(_evaluate(flag, module)) for flag in flags)


def _variables(tree: ast.Module) -> dict[ast.AST, str]:
    """The variable that has what is called within an assignment."""
    variables: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                variables.update(dict.fromkeys(ast.walk(node), target.id))
    return variables


class _MethodCall(NamedTuple):
    """A call of a method that patterns have: where, on what, and which."""

    module: str
    owner: str
    method: str


@cache
def _method_calls() -> list[_MethodCall]:
    return [
        _MethodCall(module, ast.unparse(node.value).partition("[")[0], node.attr)
        for module, tree in _modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in _METHODS
        and isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript)
    ]


def _methods(module: str, variable: str | None) -> frozenset[str]:
    """The methods that are called on a variable of a module, there or where others
    import it; otherwise those that are called on parameters and members of tables."""
    name = module.rpartition(".")[2]
    methods = {
        call.method
        for call in _method_calls()
        if call.owner == f"{name}.{variable}"
        or (
            call.owner == variable
            and (call.module == module or _imports(_modules()[call.module], variable))
        )
    }
    parameters = {
        node.arg
        for node in ast.walk(_modules()[module])
        if isinstance(node, ast.arg)
        and node.annotation is not None
        and ast.unparse(node.annotation).startswith("re.Pattern")
    }
    for owners in (parameters, None):
        methods = methods or {
            call.method
            for call in _method_calls()
            # What splits is a text.
            if call.module == module
            and call.owner != "re"
            and call.method != "split"
            and (owners is None or call.owner in owners)
        }
    assert methods, f"{module}: no method of {variable} is called"
    return frozenset(methods)


def _imports(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and name in [alias.name for alias in node.names]
        for node in tree.body
    )


def test_expressions_are_made_by_functions_of_re() -> None:
    """Under other names they would not be looked for."""
    for module, tree in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "re", module
            elif isinstance(node, ast.Import):
                assert ("re", None) in [
                    (alias.name, alias.asname) for alias in node.names
                ] or "re" not in [alias.name for alias in node.names], module


def _template_expressions() -> Iterator[Expression]:
    """The expressions in generated Python, which templates have as they are."""
    for path in sorted((ROOT / "templates").rglob("*.py.j2")):
        text = path.read_text()
        for match in _COMPILED.finditer(text):
            methods = re.findall(rf"\b{match[1]}\.(\w+)\(", text)
            yield Expression(
                f"{path.relative_to(ROOT)}:{match[1]}",
                eval(_call_at(text, match.start(2)), {"re": re}),
                # PyYAML matches scalars with those that it is given.
                frozenset(methods) or frozenset(["match"]),
            )


def _call_at(text: str, start: int) -> str:
    """The call that begins at a position of a text."""
    for end in re.finditer(r"\)", text[start:]):
        call = text[start : start + end.end()]
        with suppress(SyntaxError):
            ast.parse(call, mode="eval")
            return call
    raise AssertionError(text[start : start + 100])


PACKAGE_EXPRESSIONS = list(_expressions())
EXPRESSIONS = [*PACKAGE_EXPRESSIONS, *_template_expressions()]


def test_templates_have_no_other_expressions() -> None:
    for path in (ROOT / "templates").rglob("*.j2"):
        text = path.read_text()
        calls = re.findall(rf"\bre\.(?:compile|{'|'.join(_METHODS)})\(", text)
        is_python = path.name.endswith(".py.j2")
        assert len(calls) == (len(_COMPILED.findall(text)) if is_python else 0), path


def test_users_write_no_other_expressions() -> None:
    calls = Counter(
        (module, ast.unparse(argument))
        for module, tree in _modules().items()
        for _, argument, _ in _calls(tree)
    )
    assert calls.keys() >= _OF_USERS.keys()
    assert len(PACKAGE_EXPRESSIONS) == calls.total() - sum(
        calls[key] for key in _OF_USERS
    )


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda e: e.name)
def test_twice_the_text_takes_at_most_two_and_a_half_times_as_long(
    expression: Expression,
) -> None:
    for near_miss in sorted(near_misses(expression.pattern)):
        for method in sorted(expression.methods):
            _check(expression.pattern, method, near_miss)


@pytest.mark.parametrize(
    ("source", "method"),
    [
        (r"\s+x", "search"),
        (r"<[^>]*>", "sub"),
        (r"\s*\]x", "search"),
        (r"(a+)+b", "match"),
        (r"(?:aa|a)*c", "match"),
        (r"a*,?a*b", "match"),
        (r'"(?:[^"\\]|\\.)*"', "finditer"),
        (rb"-*-*x", "fullmatch"),
        (r"x(?=.*y)", "findall"),
    ],
)
def test_expressions_that_take_longer_are_noticed(
    source: str | bytes, method: str
) -> None:
    pattern = re.compile(source)
    with pytest.raises(AssertionError):
        for near_miss in sorted(near_misses(pattern)):
            _check(pattern, method, near_miss)


def _check(pattern: re.Pattern[Any], method: str, near_miss: NearMiss) -> None:
    for length in _LENGTHS:
        if _seconds(pattern, method, near_miss, length) > _SHORT:
            assert_proportional(
                lambda length: _seconds(pattern, method, near_miss, length),
                length // 2,
                short=_SHORT,
            )


def _seconds(
    pattern: re.Pattern[Any], method: str, near_miss: NearMiss, length: int
) -> float:
    text: Any = near_miss.text(length)
    arguments = [text[:0], text] if method in ("sub", "subn") else [text]
    if isinstance(pattern.pattern, bytes):
        arguments = [argument.encode() for argument in arguments]
    call = getattr(pattern, method)
    if method == "finditer":
        return processor_time(lambda: deque(call(*arguments), maxlen=0))
    return processor_time(lambda: call(*arguments))
