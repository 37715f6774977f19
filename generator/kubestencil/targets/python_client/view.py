"""The view ``python-client``: a package with a module for each API class.

The classes of bodies and results are those of the target ``python``, which the
manifest lists in ``depends_on``. Names of API classes, methods and arguments are those
of the official client (``kubestencil.targets.languages.python.api_methods``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, PublicName
from kubestencil.schema import Release
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.targets.languages.python.api_methods import named_api_classes
from kubestencil.targets.languages.python.package import (
    ExampleClass,
    PythonOptions,
    PythonPackage,
    example_class,
    package_options,
)
from kubestencil.targets.languages.python.spelling import module_name, read_spelling
from kubestencil.targets.python_client.methods import ApiMethods, ClientApi
from kubestencil.targets.python_client.types import BodyTypes
from kubestencil.text.languages import python_literal

_MODELS = "python"


class ClientResource(NamedTuple):
    """What the API server calls the objects of a kind (``apps/v1 Deployment``); the
    texts are literals."""

    kind: str
    plural: str
    is_namespaced: bool


class ArgumentText(NamedTuple):
    """What an argument means: its name, and a text, both as literals of Python."""

    name: str
    text: str


_SHARED = {
    "models_package": Annotated[str, "the package of the models: kubernetes_models"],
    "models_project": Annotated[str, "the distribution that has it"],
    "models_version": Annotated[str, "the version of that distribution"],
    "project_version": str,
}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "api": Each(
        "the operations with one tag: a module with an API class",
        placeholders={
            "name": "the class, such as CoreV1Api",
            "module": "its module, such as core_v1_api",
        },
        variables={"api": ClientApi, **_SHARED},
    ),
    "release": Each(
        "the whole package, once",
        variables={
            "apis": list[ClientApi],
            "arguments": Annotated[
                tuple[ArgumentText, ...], "what the arguments of methods mean"
            ],
            "resources": list[ClientResource],
            "example": Annotated[
                ExampleClass | None,
                "the class that the README shows, none without kinds",
            ],
            **_SHARED,
        },
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of a client.

    Raises SpecError where an operation is not valid or a definition cannot become a
    class, TargetError for a mistake in the options or where there are no models.
    """
    models = target.dependency(_MODELS)
    if models is None:
        raise target.error(f"the target {_MODELS} does not exist", "depends_on")
    package = PythonPackage(release, models)
    _check_options(target, package.options)
    spelling = read_spelling(models)
    methods = ApiMethods(BodyTypes(release, package), spelling)
    apis = [
        methods.api(api, name, module_name(name, spelling.acronyms))
        for name, api in named_api_classes(operation_details(release), spelling)
    ]
    variables = {
        "apis": apis,
        "arguments": tuple(
            ArgumentText(python_literal(name), python_literal(text))
            for name, text in sorted(methods.argument_texts.items())
        ),
        "resources": _resources(release),
        "example": example_class(package),
    }
    return Contexts(
        files={
            "api": lambda: (
                FileContext(
                    api.name, {"name": api.name, "module": api.module}, {"api": api}
                )
                for api in apis
            ),
            # Many files are generated for it.
            "release": cache(lambda: [FileContext(release.name, {}, variables)]),
        },
        shared_variables={
            "models_package": package.options.package,
            "models_project": package.options.project,
            "models_version": package.options.version_for(release.name),
            "project_version": package_options(target).version_for(release.name),
        },
    )


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The API classes, their methods with the type of the result, and the arguments of
    these."""
    names: dict[str, PublicName] = {}
    for context in make_contexts(release, target).files["api"]():
        api: ClientApi = context.variables["api"]
        names[api.name] = PublicName()
        for method in api.methods:
            path = f"{api.name}.{method.name}"
            names[path] = PublicName(method.returns)
            for argument in method.arguments:
                name = f"{path}.{argument.name}"
                names[name] = PublicName(argument.type, argument.required)
    return names


def _resources(release: Release) -> list[ClientResource]:
    return [
        ClientResource(
            python_literal(f"{kind.api_version} {kind.kind}"),
            python_literal(resource.plural),
            resource.namespaced,
        )
        for kind, resource in sorted(release.resources.items())
        if resource.served
    ]


def _check_options(target: Target, models: PythonOptions) -> None:
    options = package_options(target)
    if options.package == models.package:
        raise target.option_error(
            f"{options.package!r} is the package of models", "package"
        )
    if options.project == models.project:
        raise target.option_error(
            f"{options.project!r} is the project of models", "project"
        )
