"""The target ``website``: the pages of kubernetes.io, byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.website.text import description
from tests.conftest import EACH_RELEASE, full_specs, load, make_release
from tests.published import read_digests

#: The types whose pages say something else in the embedded documents, by release:
#: Quantity has no description there, others are of another patch release.
OTHER_TYPES = {"1.30": {"local-object-reference-v1"}}


def website(quirk: str = "", **options: str) -> Target:
    """The target, without a quirk if one is named."""
    target = load_targets(None)["website"].with_options(options)
    quirks = {name: body for name, body in target.quirks.items() if name != quirk}
    return replace(target, quirks=quirks)


def pages(release: Release, target: Target | None = None) -> dict[str, str]:
    files = generate_files(release, target or website())
    return {file.path: file.data.decode() for file in files}


def digests(files: Mapping[str, str]) -> dict[str, str]:
    return {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()
    }


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_from_the_full_documents_are_those_of_gen_apidocs(release: str) -> None:
    generated = digests(pages(load(release, full_specs())))
    assert generated == read_digests(f"website/{release}.sha256")


@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_of_types_from_the_embedded_documents_are_those_of_gen_apidocs(
    release: str,
) -> None:
    """They have no operations, whose parameters are described in a full document
    only."""
    generated = digests(pages(load(release)))
    published = read_digests(f"website/{release}.sha256")
    assert generated.keys() == published.keys()
    differing = {path for path, _ in generated.items() ^ published.items()}
    other_types = {"quantity-resource", *OTHER_TYPES.get(release, ())}
    assert {path for path in differing if path.startswith("definitions/")} == {
        f"definitions/{page}.md" for page in other_types
    }
    assert not any(path.endswith("_index.md") for path in differing)


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
def test_embedded_documents_lack_descriptions_and_watches_only() -> None:
    full, embedded = pages(load("1.35", full_specs())), pages(load("1.35"))
    for path, text in full.items():
        if path != "definitions/quantity-resource.md":
            assert outline(text) == outline(embedded[path])


def outline(page: str) -> list[str]:
    """A page without the descriptions of parameters, and the deprecated operations
    that watch."""
    types, _, operations = page.partition("## Operations {")
    sections = operations.split("\n### ")
    kept = [section for section in sections if not section.startswith("`get` Watch")]
    lines = "\n### ".join(kept).rstrip().split("\n")
    return [
        types,
        *(
            line
            for line in lines
            if not line.startswith("      <td>")
            or line.startswith(("      <td><c", "      <td><e"))
        ),
    ]


@pytest.mark.nightly
@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("quirk", load_targets(None)["website"].quirks)
def test_each_quirk_changes_pages(quirk: str) -> None:
    """A quirk that no longer changes a byte is to be removed."""
    release = load("1.34", full_specs())
    assert pages(release, website(quirk)) != pages(release)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the <name> of a <pod name>", r"the \<name> of a \<pod name>"),
        ("1 < x", r"1 \< x"),
        (
            "a\n\n Possible enum values:\n - `A` first",
            "a<br/><br/>Possible enum values:<br/> - `A` first",
        ),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<b onclick='f()'>", "&lt;b onclick='f()'>"),
        ("<!-- ", "&lt;!-- "),
        ('{{% readfile "/etc/passwd" %}}', '{&#123;% readfile "/etc/passwd" %}}'),
        ('{{< ref "x" >}}', r'{&#123;\< ref "x" >}}'),
    ],
)
def test_descriptions_are_those_of_gen_apidocs_and_harmless(
    text: str, expected: str
) -> None:
    assert description(text) == expected


def test_hostile_names_are_text() -> None:
    evil = "</code><script>alert(1)</script>{{% x %}}"
    release = make_release(
        {
            "com.example.v1.Foo": {
                "description": evil,
                "required": [evil],
                "properties": {evil: {"type": "string", "description": evil}},
            }
        }
    )
    for page in pages(release).values():
        assert "<script" not in page
        assert "{{%" not in page.partition("\n---\n")[2]


def test_a_group_of_custom_resources_is_no_built_in_one() -> None:
    schema: Any = {
        "type": "object",
        "x-kubernetes-group-version-kind": [
            {"group": "networking.istio.io", "version": "v1", "kind": "Gateway"}
        ],
        "properties": {
            "spec": {"$ref": "#/definitions/io.istio.networking.v1.GatewaySpec"}
        },
    }
    spec = {"type": "object", "properties": {"x": {"type": "integer"}}}
    release = make_release(
        {
            "io.istio.networking.v1.Gateway": schema,
            "io.istio.networking.v1.GatewaySpec": spec,
        }
    )
    page = pages(release)["definitions/gateway-v1-networking.istio.io.md"]
    assert "`apiVersion: networking.istio.io/v1`" in page
    assert "## GatewaySpec {#GatewaySpec}" in page


def test_a_release_of_another_name_is_named_as_it_is() -> None:
    release = replace(load("1.35"), name="my-cluster")
    assert "_Version: my-cluster_" in pages(release)["_index.md"]
    assert "_Version: v1_35.0_" in pages(load("1.35"))["_index.md"]


def test_facts_are_added_to_kinds_and_fields() -> None:
    options = {"facts": "true", "releases": "https://docs.test/{release}/{page}"}
    generated = pages(load("1.35"), website(**options))
    pod = generated["core/pod-v1.md"]
    assert "- <em>Added in</em> <code>1.0</code>\n" in pod
    assert "[1.34](https://docs.test/1.34/core/pod-v1)" in pod
    assert "/1.35/" not in pod
    restart_policy = row(pod, "restartPolicy")
    for fact in (
        "<code>Always</code>, <code>Never</code> or <code>OnFailure</code>",
        "<em>Default</em> <code>Always</code>",
    ):
        assert fact in restart_policy
    gate = "<em>Beta, on unless the gate HostnameOverride is off</em>"
    assert f"<br/><em>Added in</em> <code>1.34</code><br/>{gate}" in row(
        pod, "hostnameOverride"
    )
    migration = generated["storagemigration/storage-version-migration-v1beta1.md"]
    assert "- <em>Removal planned for</em> <code>1.40</code>\n" in migration
    # The version that the other release serves, and none where it serves none.
    assert "/1.34/storagemigration/storage-version-migration-v1alpha1)" in migration
    assert "/1.29/" not in migration
    assert "<em>Deprecated</em>: use serviceAccountName" in row(pod, "serviceAccount")


def test_facts_change_no_other_line() -> None:
    plain = pages(load("1.35"))["core/pod-v1.md"].splitlines()
    known = pages(load("1.35"), website(facts="true"))["core/pod-v1.md"].splitlines()
    added = [line for line in known if line.startswith("- <em>")]
    lines = [line for line in known if line not in added]
    for before, after in zip(plain, lines, strict=True):
        assert after.startswith(before.removesuffix("</td>"))


def row(page: str, field: str) -> str:
    """The description of a field in the table of its section."""
    start = page.index(f"<code>{field}</code>")
    return page[start : page.index("</tr>", start)]
