"""The Jsonnet library: evaluated by real engines, and the spelling of its functions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kubestencil.errors import KubestencilError, SpecError
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import make_library
from tests.conftest import load, make_release
from tests.jsonnet_library import (
    BAR,
    FOO,
    SHARED,
    all_calls,
    evaluate,
    files,
    library_of,
    ref,
    results,
    target,
    write,
)

TEXT = {"type": "string", "description": "text"}
# The kind Foo.
KIND = {
    "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Foo"}]
}


def foo(properties: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """A document's definitions: one, with the given properties."""
    return {FOO: {"description": "Foo.", "properties": properties, **keywords}}


def type_file(definitions: dict[str, Any]) -> str:
    """The file of the type Foo."""
    generated = files(make_release(definitions), "jsonnet")
    return generated["_gen/g/v1/foo.libsonnet"].decode()


def page(definitions: dict[str, Any]) -> str:
    """The page of the type Foo."""
    return files(make_release(definitions), "jsonnet-docs")["g/v1/foo.md"].decode()


@pytest.fixture(scope="module")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kubernetes")
    return write(folder, files(load("1.35"), "jsonnet"))


def test_every_builder_of_a_release_sets_its_field(kubernetes: Path) -> None:
    expressions, expected = zip(*all_calls(library_of(load("1.35"))), strict=True)
    assert len(expressions) > 12_000
    actual = results(kubernetes, list(expressions))
    wrong = [
        expression
        for expression, value, expected_value in zip(
            expressions, actual, expected, strict=True
        )
        if value != expected_value
    ]
    assert wrong == []


@pytest.mark.parametrize("engine", ["_jsonnet", "_gojsonnet", "rjsonnet"])
def test_engines_evaluate_the_library_alike(engine: str, kubernetes: Path) -> None:
    """jsonnet (C++), go-jsonnet, which Tanka uses, and jrsonnet."""
    module = pytest.importorskip(engine)
    code = """
      local k = import 'main.libsonnet';
      local deployment = k.apps.v1.deployment;
      deployment.new('web')
      + deployment.spec.withReplicas(2)
      + deployment.spec.template.spec.withContainersMixin(k.core.v1.container.withName('a'))
      + deployment.spec.template.spec.withContainersMixin([k.core.v1.container.withName('b')])
      + deployment.metadata.withLabels({ a: 'b' })
      + deployment.metadata.withLabelsMixin({ c: 'd' })
    """
    text = module.evaluate_snippet("test", code, jpathdir=[str(kubernetes.parent)])
    assert json.loads(text) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"a": "b", "c": "d"}},
        "spec": {
            "replicas": 2,
            "template": {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}},
        },
    }


@pytest.mark.peer("jsonnetfmt")
def test_jsonnetfmt_does_not_change_the_library(kubernetes: Path) -> None:
    paths = [*kubernetes.parent.rglob("*.libsonnet"), *SHARED.rglob("*.libsonnet")]
    subprocess.run(["jsonnetfmt", "--test", *paths], check=True, timeout=120)


@pytest.mark.peer("docsonnet")
@pytest.mark.parametrize("overlay", ["", "default"])
def test_pages_are_those_that_docsonnet_prints(overlay: str, tmp_path: Path) -> None:
    spec = load("1.35")
    main = write(tmp_path / "1.35", files(spec, "jsonnet", overlay))
    subprocess.run(
        ["docsonnet", "-o", "docs", "--urlPrefix", "1.35", str(main)],
        cwd=tmp_path,
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
    )
    docs = tmp_path / "docs"
    assert files(spec, "jsonnet-docs", overlay) == {
        path.relative_to(docs).as_posix(): path.read_bytes()
        for path in docs.rglob("*.md")
    }


@pytest.mark.parametrize(
    ("properties", "line"),
    [
        ({"self": TEXT}, "withSelf(Self): { 'self': Self },"),
        ({"error": TEXT}, "withError(err): { 'error': err },"),
        ({"importbin": TEXT}, "withImportbin(Importbin): { 'importbin': Importbin },"),
        ({"$ref": TEXT}, "'with$Ref'(_ref): { '$ref': _ref },"),
        ({"x-y": TEXT}, "'withX-Y'(x_y): { 'x-y': x_y },"),
        ({"9lives": TEXT}, "with9lives(_9lives): { '9lives': _9lives },"),
        ({"": TEXT}, "with(_): { '': _ },"),
        ({"a.b": TEXT}, "withA_b(a_b): { a+: { b: a_b } },"),
        ({"IPs": TEXT}, "withIPs(iPs): { iPs: iPs },"),
        (
            {"std": {"type": "array", "items": {"type": "string"}}},
            "withStd(Std): { std: if std.isArray(v=Std) then Std else [Std] },",
        ),
    ],
)
def test_names_are_spelled_as_valid_jsonnet(
    properties: dict[str, Any], line: str
) -> None:
    assert f"  {line}\n" in type_file(foo(properties))


@pytest.mark.parametrize(
    ("properties", "keywords", "message"),
    [
        ({"Foo": TEXT, "foo": TEXT}, {}, "two fields need the builder 'withFoo'"),
        ({"mixin": {"properties": {"a": TEXT}}}, {}, "the builder 'mixin'"),
        ({"#a": {"properties": {"a": TEXT}}}, {}, "# and the names"),
        ({"": {"properties": {"a": TEXT}}}, {}, "# and the names"),
        (
            {"new": {"properties": {"a": TEXT}}},
            KIND,
            "the builder 'new'",
        ),
    ],
)
def test_fields_without_a_valid_builder_are_refused(
    properties: dict[str, Any], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        type_file(foo(properties, **keywords))
    assert caught.value.where == FOO


def test_a_type_with_the_path_of_the_index_is_refused() -> None:
    definitions = {"io.k8s.api.g.v1.Main": {"properties": {"a": TEXT}}}
    with pytest.raises(KubestencilError, match="both be written to"):
        type_file(definitions)


def test_fields_with_recursive_types_have_one_builder() -> None:
    """k8s-gen does so for JSONSchemaProps only, and runs out of memory with others."""
    text = type_file(
        {
            FOO: {"properties": {"bar": ref(BAR), "foo": ref(FOO), "a": TEXT}},
            BAR: {"properties": {"foo": ref(FOO), "b": TEXT}},
        }
    )
    assert "  withBar(bar): { bar: bar },\n" in text
    assert "  withFoo(foo): { foo: foo },\n" in text
    assert "  withA(a): { a: a },\n" in text


def test_a_type_with_too_many_builders_is_refused() -> None:
    kinds = [f"io.k8s.api.g.v1.K{number}" for number in range(30)]
    definitions = {
        kind: {"properties": {"a": ref(other), "b": ref(other), "c": TEXT}}
        for kind, other in pairwise(kinds)
    }
    definitions[kinds[-1]] = {"properties": {"a": TEXT}}
    with pytest.raises(SpecError, match="levels deep: more than"):
        type_file(definitions)


def test_a_long_chain_of_types_is_refused() -> None:
    kinds = [f"io.k8s.api.g.v1.K{number}" for number in range(5000)]
    definitions = {
        kind: {"properties": {"a": ref(other)}} for kind, other in pairwise(kinds)
    }
    definitions[kinds[-1]] = {"properties": {"a": TEXT}}
    with pytest.raises(SpecError, match="levels deep"):
        type_file(definitions)


def test_a_document_without_types_gives_an_empty_library() -> None:
    spec = make_release({"com.example.v1.Foo": {"properties": {"a": TEXT}}})
    libraries = {"main.libsonnet", "gen.libsonnet"}
    assert set(files(spec, "jsonnet")) == {*libraries, "README.md"}
    assert set(files(spec, "jsonnet-docs")) == {"README.md"}


def test_descriptions_on_pages_are_escaped() -> None:
    text = page(foo({"a": {"type": "string", "description": "<script>x</script>"}}))
    assert '"&lt;script>x&lt;/script>"' in text


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "it's",
        'a "b"',
        'it\'s a "b" <&>',
        "\x00\x7f\x85\u2028\\n",
        "|||",
    ],
)
def test_string_literals_evaluate_to_their_text(text: str) -> None:
    for html_escapes in (True, False):
        assert evaluate(jsonnet.string_literal(text, html_escapes=html_escapes)) == text


@pytest.mark.parametrize(
    ("quirk", "definitions", "with_quirk", "without_quirk"),
    [
        ("camel-json-name", foo({"Port": TEXT}), "{ port: port }", "{ Port: port }"),
        ("dotted-path", foo({"a.b": TEXT}), "a+: { b: a_b }", "{ 'a.b': a_b }"),
        (
            "quote-at-end",
            foo({"a": {"type": "string", "description": 'say "x"'}}),
            r"""help='"say \\"x\\',""",
            r"""help='"say \\"x\\""',""",
        ),
        (
            "status-anywhere",
            foo({"a": {"properties": {"status": TEXT}}}),
            "a: {},",
            "withStatus(status): { a+: { status: status } },",
        ),
        (
            "type-description",
            {
                **foo({"a": {**ref(BAR), "description": "The field."}}),
                BAR: {"type": "string", "description": "The type."},
            },
            '"The type."',
            '"The field."',
        ),
        (
            "new-without-metadata",
            foo({}, **KIND),
            "new(name): {",
            "new(): {",
        ),
        (
            "html-escapes-with-apostrophe",
            foo({"a": {"type": "string", "description": "it's <a>"}}),
            r"\u003ca\u003e",
            "<a>",
        ),
    ],
)
def test_quirks_can_be_dropped(
    quirk: str,
    definitions: dict[str, Any],
    with_quirk: str,
    without_quirk: str,
    tmp_path: Path,
) -> None:
    from kubestencil.engine import load_targets
    from kubestencil.targets import generate_files

    manifest = load_targets(None)["jsonnet"].manifest.read_text()
    manifest_without_quirk = re.sub(
        rf"\[quirks\.{quirk}\]\nreason = .*\n", "", manifest
    )
    assert manifest_without_quirk != manifest
    (tmp_path / "jsonnet").mkdir()
    (tmp_path / "jsonnet" / "target.toml").write_text(manifest_without_quirk)
    generated = generate_files(
        make_release(definitions), load_targets(tmp_path)["jsonnet"]
    )
    text = {file.path: file.data.decode() for file in generated}[
        "_gen/g/v1/foo.libsonnet"
    ]
    assert with_quirk in type_file(definitions)
    assert with_quirk not in text
    assert without_quirk in text


def test_list_kinds_have_no_builders() -> None:
    """Without the quirk, what else has a ListMeta (meta.v1.Status) has builders."""
    list_meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
    definitions = {
        **foo({"a": TEXT}),
        f"{FOO}List": {
            "properties": {
                "items": {"type": "array", "items": ref(FOO)},
                "metadata": ref(list_meta),
            }
        },
        "io.k8s.api.g.v1.Status": {
            "properties": {"a": TEXT, "metadata": ref(list_meta)}
        },
        list_meta: {"properties": {"continue": TEXT}},
    }
    published = target("jsonnet")
    quirks = {
        name: quirk
        for name, quirk in published.quirks.items()
        if name != "list-meta-is-a-list"
    }
    spec = make_release(definitions)
    assert [type_.name for type_ in make_library(spec, published).types] == [
        "foo",
        "listMeta",
    ]
    without_quirk = replace(published, quirks=quirks)
    assert [type_.name for type_ in make_library(spec, without_quirk).types] == [
        "foo",
        "status",
        "listMeta",
    ]


def test_importing_the_view_does_not_start_an_engine() -> None:
    code = (
        "import sys, kubestencil.targets.jsonnet_docs.view;"
        "sys.exit('rjsonnet' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
