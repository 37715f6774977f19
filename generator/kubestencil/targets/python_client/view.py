"""The view ``python-client``: a package with a module for each API class.

The classes of bodies and results are those of the target ``python``, which the
manifest lists in ``depends_on``. Names of API classes, methods and arguments are those
of the official client (``kubestencil.targets.python.api_methods``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from keyword import iskeyword
from typing import Annotated

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.rebuilt_details import operation_details
from kubestencil.targets.python.api_methods import api_classes
from kubestencil.targets.python.package import Package, project_version
from kubestencil.targets.python.spelling import module_name, read_spelling
from kubestencil.targets.python_client.methods import ApiMethods, ClientApi
from kubestencil.targets.python_client.types import BodyTypes

_MODELS = "python"
# Names in the modules of API classes (api.py.j2).
_RESERVED_CLASSES = ("Api", "AsyncApi")
_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")

_SHARED = {
    "models_package": Annotated[str, "the package of the models: kubernetes_models"],
    "models_project": Annotated[str, "the distribution that has it"],
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
        "the whole package, once", variables={"apis": list[ClientApi], **_SHARED}
    ),
}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of a client.

    Raises SpecError where an operation is not valid or a definition cannot become a
    class, TargetError for a mistake in the options or where there are no models.
    """
    models = target.dependency(_MODELS)
    if models is None:
        raise target.error(f"the target {_MODELS} does not exist", "depends_on")
    _check_options(target, models)
    package = Package(release, models)
    apis = _apis(release, package, models)
    return Contexts(
        files={
            "api": lambda: (
                FileContext(
                    api.name, {"name": api.name, "module": api.module}, {"api": api}
                )
                for api in apis
            ),
            # Many files are generated for it.
            "release": cache(lambda: [FileContext(release.name, {}, {"apis": apis})]),
        },
        shared_variables={
            "models_package": models.options["package"],
            "models_project": models.options["project"],
            "project_version": project_version(release.name),
        },
    )


def _apis(release: Release, package: Package, models: Target) -> list[ClientApi]:
    spelling = read_spelling(models)
    methods = ApiMethods(release, BodyTypes(release, package), spelling)
    return [
        methods.api(api, name, module_name(name, spelling.acronyms))
        for api in api_classes(operation_details(release), spelling, _RESERVED_CLASSES)
        for name in [_identifier(api.name)]
    ]


def _identifier(name: str) -> str:
    """The name of a class; a tag may begin with a digit."""
    return name if name.isidentifier() else f"Tag{name}"


def _check_options(target: Target, models: Target) -> None:
    package = str(target.options.get("package", ""))
    if not _PACKAGE.match(package) or iskeyword(package):
        raise target.error(f"{package!r} is not a package name", "options.package")
    if package == models.options.get("package"):
        raise target.error(f"{package!r} is the package of models", "options.package")
    project = str(target.options.get("project", ""))
    if not _PROJECT.match(project) or project == models.options.get("project"):
        raise target.error(f"{project!r} is not a project name", "options.project")
