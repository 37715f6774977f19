"""Finds out which variables a template uses, with the templates that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kubestencil.engine.run_cache import cached_for_run

if TYPE_CHECKING:
    import jinja2
    from jinja2 import nodes

#: The functions that render a template by its name.
RENDERING_FUNCTIONS = ("once", "shared")


def variables_of(environment: jinja2.Environment, name: str) -> frozenset[str] | None:
    """The variables that the template ``name`` and all templates that it needs use.

    None where that cannot be said before it is rendered: a template that is needed has
    a computed name. Raises as Jinja2 does for a template that does not exist or has a
    mistake.
    """
    variables: set[str] = set()
    pending, read = [name], {name}
    while pending:
        template = _template_names(environment, pending.pop())
        variables |= template.variables
        for needed in template.needed:
            if needed is None:
                return None
            if needed not in read:
                read.add(needed)
                pending.append(needed)
    return frozenset(variables)


class _TemplateNames(NamedTuple):
    """The variables that a template uses itself, and the templates that it needs; None
    for one with a computed name."""

    variables: frozenset[str]
    needed: tuple[str | None, ...]


@cached_for_run
def _template_names(environment: jinja2.Environment, name: str) -> _TemplateNames:
    """The names in a template, which several others may need."""
    from jinja2.meta import find_undeclared_variables

    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, name)
    tree = environment.parse(source, name)
    return _TemplateNames(
        frozenset(find_undeclared_variables(tree)), tuple(_needed_templates(tree))
    )


def _needed_templates(tree: nodes.Template) -> Iterator[str | None]:
    """The templates that a template includes, imports, extends or renders by a
    function; None for a computed name."""
    from jinja2 import nodes
    from jinja2.meta import find_referenced_templates

    yield from find_referenced_templates(tree)
    names = list(tree.find_all(nodes.Name))
    calls = [call for call in tree.find_all(nodes.Call) if _is_rendering(call.node)]
    for call in calls:
        first = call.args[0] if call.args else None
        value = first.value if isinstance(first, nodes.Const) else None
        yield value if isinstance(value, str) else None
    # A function under another name may be called with any template.
    if sum(map(_is_rendering, names)) > len(calls):
        yield None


def _is_rendering(node: nodes.Node) -> bool:
    from jinja2 import nodes

    return isinstance(node, nodes.Name) and node.name in RENDERING_FUNCTIONS
