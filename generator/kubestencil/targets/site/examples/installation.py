"""How the package or library is installed that an example imports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubestencil.schema.types import Resource
from kubestencil.targets.site.examples.program import create_command

# In the output folder of a release (generated/1.35): releases share equal pages.
_COMMANDS: Mapping[str, str] = {
    "python": "pip install ./python",
    "jsonnet": "jsonnet -J jsonnet example.jsonnet",
    "rust": "cargo add --path ./rust",
    "typescript": "npm install --save-dev ./typescript",
}


class Installation(NamedTuple):
    """A command that makes code work, or uses it.

    ``target`` is the target that generates what is installed, empty where that is
    published elsewhere. ``note`` is a sentence for people.
    """

    command: str
    target: str = ""
    note: str = ""


NO_INSTALLATION = Installation("")
_PYTHON_CLIENT = "pip install ./python ./python-client"
# What calls of operations need, by language and whether the kind is custom.
_OF_CALLS: Mapping[tuple[str, bool], Installation] = {
    ("python", False): Installation(
        _PYTHON_CLIENT,
        "python-client",
        "example is the object in the example. The official client (pip install "
        "kubernetes) has the same classes and methods, without watch and apply.",
    ),
    ("python", True): Installation(
        _PYTHON_CLIENT,
        "python-client",
        "example is the object in the example. The official client has no class for "
        "this kind.",
    ),
    ("rust", False): Installation(
        "cargo add kube serde_json && cargo add k8s-openapi --features latest",
        note="The target rust can stand in for k8s-openapi (--set rust.drop_in).",
    ),
    ("rust", True): Installation("cargo add kube serde_json"),
}


def example_installation(
    language: str, code: str, resource: Resource | None
) -> Installation:
    """What an example of a kind in a language needs."""
    if language == "yaml":
        if resource is None or "create" not in resource.verbs:
            return NO_INSTALLATION
        return Installation(create_command(resource))
    command = _COMMANDS.get(language)
    if command is None:
        return NO_INSTALLATION
    if "from kubernetes.client import" in code:
        return Installation("pip install kubernetes")
    if language == "rust" and "serde_json::" in code:
        command += " && cargo add serde_json"
    return Installation(command, target=language)


def call_installation(language: str, *, is_custom: bool) -> Installation:
    """What the calls of operations in a language need."""
    return _OF_CALLS.get((language, is_custom), NO_INSTALLATION)
