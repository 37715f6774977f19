"""The methods of API classes: what a call of an operation takes, sends and returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubestencil.schema import Definition, Schema
from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.media_types import APPLY_PATCH, STRATEGIC_PATCH
from kubestencil.schema.operations.parameter_descriptions import PARAMETER_DESCRIPTIONS
from kubestencil.schema.types import reference_to, schema_of
from kubestencil.targets.languages.python.api_methods import (
    ApiClass,
    ApiMethodDetails,
    result_schema,
    served_path,
)
from kubestencil.targets.languages.python.spelling import Spelling
from kubestencil.targets.python_client.arguments import (
    ClientArgument,
    QueryParameter,
    call_parameters,
    method_arguments,
    opens_session,
)
from kubestencil.targets.python_client.types import (
    ANY_TYPE,
    TEXT_TYPE,
    BodyType,
    BodyTypes,
    ClientCustomModule,
)
from kubestencil.text.casing import snake
from kubestencil.text.html import summary
from kubestencil.text.languages import python_literal

_BODY = "body"
# The API server answers these with a Status, and documents the object
# (k8s.io/kubernetes, pkg/registry/core/pod/storage).
_ANSWERED_WITH_STATUS = frozenset({"Binding", "Eviction"})
_ANY_OBJECT = schema_of({"type": "object"})


class Query(NamedTuple):
    """The query parameters of some methods; ``name`` is the variable that has them."""

    name: str
    parameters: tuple[QueryParameter, ...]


class ClientMethod(NamedTuple):
    """A method of an API class.

    ``operation_class`` is the class that describes it at runtime, ``decorator`` the
    function that declares it in the stub. ``path``, ``result``, ``sends``, ``item``
    and the names in ``required_tuple`` are Python code; ``result`` is what the client
    decodes, ``sends`` the kind of the body, ``item`` the class of the objects in a
    list; the last two are empty where there is none. ``query`` is the name of a
    ``Query``. ``returns`` is the type hint of the result; for a list, ``item_type`` is
    that of its objects, otherwise empty.
    """

    name: str
    operation_class: str
    decorator: str
    http_method: str
    path: str
    arguments: tuple[ClientArgument, ...]
    required_tuple: str
    query: str
    result: str
    sends: str
    item: str
    returns: str
    item_type: str
    description: str


class ClientApi(NamedTuple):
    """An API class: the operations with one tag.

    ``module`` is its module, ``operation_classes`` what that imports,
    ``custom_modules`` what its stub imports. ``description`` is the text of its
    docstring. ``uses_any`` says that the stub has the type Any.
    """

    name: str
    module: str
    description: str
    methods: tuple[ClientMethod, ...]
    queries: tuple[Query, ...]
    operation_classes: tuple[str, ...]
    custom_modules: tuple[ClientCustomModule, ...]
    uses_any: bool


class _Shape(NamedTuple):
    """How an operation is called.

    ``sends`` is the kind of the body, empty without one; ``types`` are those of its
    body and result.
    """

    operation_class: str
    result: BodyType
    returns: str
    item: str = ""
    item_type: str = ""
    sends: str = ""
    body: str = ""
    types: tuple[BodyType, ...] = ()


class ApiMethods:
    """Makes API classes.

    ``argument_texts`` has what the arguments of the methods made so far mean, without
    those that the document does not describe.
    """

    def __init__(self, types: BodyTypes, spelling: Spelling) -> None:
        self._types = types
        # Other names are reserved in models.
        self._spelling = replace(spelling, reserved=frozenset())
        self.argument_texts: dict[str, str] = {}

    def api(self, api: ApiClass, name: str, module: str) -> ClientApi:
        """An API class with its methods, those for server-side apply included.

        Raises SpecError where a path has a placeholder without a parameter.
        """
        lists = {
            method.details.operation.path: result_schema(method.details.responses)
            for method in api.methods
            if method.details.operation.action == "list"
        }
        queries: dict[tuple[QueryParameter, ...], str] = {}
        methods: list[ClientMethod] = []
        custom_modules: set[ClientCustomModule] = set()
        names = {method.name for method in api.methods}
        for method in api.methods:
            for method_name, details, shape in self._shapes(method, lists, names):
                methods.append(self._method(method_name, details, shape, queries))
                custom_modules.update(
                    type_.custom_module for type_ in shape.types if type_.custom_module
                )
        methods.sort(key=lambda method: method.name)
        return ClientApi(
            name=name,
            module=module,
            description=f"Operations: {api.name.removesuffix('Api')}.",
            methods=tuple(methods),
            queries=tuple(Query(name, query) for query, name in queries.items()),
            operation_classes=tuple(
                sorted({method.operation_class for method in methods})
            ),
            custom_modules=tuple(sorted(custom_modules)),
            uses_any=any(_uses_any(method) for method in methods),
        )

    def _shapes(
        self,
        method: ApiMethodDetails,
        lists: Mapping[str, Schema | None],
        names: set[str],
    ) -> Iterator[tuple[str, OperationDetails, _Shape]]:
        """The methods for an operation: its own, and that for server-side apply."""
        details = method.details
        yield method.name, details, self._shape(details, lists)
        if details.operation.action == "patch" and APPLY_PATCH in details.consumes:
            apply_name = f"apply_{method.name.removeprefix('patch_')}"
            if apply_name not in names:
                yield apply_name, details, self._apply_shape(details)

    def _shape(
        self, details: OperationDetails, lists: Mapping[str, Schema | None]
    ) -> _Shape:
        operation = details.operation
        result = self._types.spell(result_schema(details.responses))
        if operation.action == "list":
            return self._list_shape(details, result)
        if operation.action == "connect" and opens_session(details):
            return _Shape("ExecOperation", TEXT_TYPE, "ExecResult")
        if operation.path.endswith("/log") and result == TEXT_TYPE:
            return _Shape("LogOperation", result, "str")
        may_be_status = False
        if operation.action in ("delete", "deletecollection"):
            result, may_be_status = self._deleted(details, lists), True
        elif operation.kind and operation.kind.kind in _ANSWERED_WITH_STATUS:
            may_be_status = operation.action == "post"
        return self._plain_shape(details, result, may_be_status=may_be_status)

    def _plain_shape(
        self, details: OperationDetails, result: BodyType, *, may_be_status: bool
    ) -> _Shape:
        returns = result.annotation
        if may_be_status and result != ANY_TYPE:
            returns = f"{returns} | Status" if returns != "Status" else returns
            result = result._replace(name=f"{result.name}?")
        sends, body = self._sent(details)
        return _Shape(
            "Operation",
            result,
            returns,
            sends=sends,
            body=body.annotation,
            types=(result, body),
        )

    def _sent(self, details: OperationDetails) -> tuple[str, BodyType]:
        """The kind and the type of the body; empty without one."""
        parameter = next(
            (item for item in call_parameters(details) if item.location == _BODY), None
        )
        if parameter is None:
            return "", ANY_TYPE._replace(annotation="")
        if details.operation.action != "patch":
            schema = parameter.schema
            return self._types.kind_of(schema), self._types.spell(schema)
        if STRATEGIC_PATCH in details.consumes:
            return "strategic patch", BodyType("Patch", "")
        return "merge patch", BodyType("CustomPatch", "")

    def _apply_shape(self, details: OperationDetails) -> _Shape:
        schema = result_schema(details.responses)
        result = self._types.spell(schema)
        kind = self._types.kind_of(schema) if schema else "object"
        return _Shape(
            "Operation",
            result,
            result.annotation,
            sends=f"apply {kind}",
            body=result.annotation,
            types=(result,),
        )

    def _list_shape(self, details: OperationDetails, result: BodyType) -> _Shape:
        definition = self._types.of_kind(details.operation.kind)
        item = self._reference(definition)
        return _Shape(
            "ListOperation",
            result,
            result.annotation,
            item_type=item.annotation,
            item=item.name,
            types=(result, item),
        )

    def _deleted(
        self, details: OperationDetails, lists: Mapping[str, Schema | None]
    ) -> BodyType:
        """What a deletion returns, unless that is a Status: the object, which may still
        be there for a while, or a list of the objects."""
        if details.operation.action == "deletecollection":
            return self._types.spell(lists.get(details.operation.path, _ANY_OBJECT))
        return self._reference(self._types.of_kind(details.operation.kind))

    def _reference(self, definition: Definition | None) -> BodyType:
        if definition is None:
            return ANY_TYPE
        return self._types.spell(reference_to(definition.name))

    def _method(
        self,
        name: str,
        details: OperationDetails,
        shape: _Shape,
        queries: dict[tuple[QueryParameter, ...], str],
    ) -> ClientMethod:
        is_apply = shape.sends.startswith("apply ")
        arguments, query, path, parameters = method_arguments(
            details, self._spelling, shape.body, is_apply=is_apply
        )
        for argument, parameter in parameters:
            if parameter.location != _BODY:
                text = PARAMETER_DESCRIPTIONS.get(parameter.name)
                if text := text or summary(parameter.description):
                    self.argument_texts.setdefault(argument, text)
        query_name = queries.setdefault(query, f"_QUERY_{len(queries) + 1}")
        http_method = details.operation.method.upper()
        text = f"{http_method} {served_path(details.operation)}"
        if details.description:
            text = f"{details.description}\n\n{text}"
        required = tuple(item.name for item in arguments if item.required)
        return ClientMethod(
            name=name,
            operation_class=shape.operation_class,
            decorator=snake(shape.operation_class),
            http_method=http_method,
            path=python_literal(path),
            arguments=arguments,
            required_tuple=_tuple(required),
            query=query_name,
            result=python_literal(shape.result.name),
            sends=python_literal(shape.sends) if shape.sends else "",
            item=python_literal(shape.item) if shape.item else "",
            returns=shape.returns,
            item_type=shape.item_type,
            description=text,
        )


def _tuple(names: Sequence[str]) -> str:
    """A tuple of names as Python code."""
    texts = [f'"{name}"' for name in names]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _uses_any(method: ClientMethod) -> bool:
    return "Any" in (method.returns, method.item_type) or any(
        argument.type == "Any" for argument in method.arguments
    )
