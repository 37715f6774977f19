"""Placeholders of templates: what stands in a manifest until something fills it in."""

from __future__ import annotations

import re

# ${VAR} of envsubst, Flux and shells, $(VAR) of kustomize, {{ … }} and {% … %} of Helm
# and Jinja, <% … %> of ERB.
_PLACEHOLDER = re.compile(
    r"\$\{[^}]*\}|\$\([A-Za-z_][\w.-]*\)|\{\{.*?\}\}|<%.*?%>", re.DOTALL
)
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>", re.DOTALL)


def has_placeholder(text: str) -> bool:
    """Whether something is still to be filled into a text: ``${REPLICAS}``."""
    return _PLACEHOLDER.search(text) is not None


def is_template(text: str) -> bool:
    """Whether a text has directives of a template language: of Helm, Jinja, ERB."""
    return _TEMPLATE.search(text) is not None
