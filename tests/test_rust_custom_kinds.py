"""Custom kinds in the rust target, without cargo: modules, names, types, scopes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.languages.rust import kopium
from kubestencil.text.unique_names import free_names
from tests.cluster import load_crds, stored_crds
from tests.conftest import load, load_with_crds, make_release
from tests.rust_crds import CONDITION, GADGET, STRING, array, crd, struct

FILE = "src/api/example_com/v1/http_gadget.rs"


def generate(release: Release) -> dict[str, str]:
    """The files of the crate by their paths."""
    target = load_targets(None)["rust"]
    return {file.path: file.data.decode() for file in generate_files(release, target)}


@pytest.fixture(scope="module")
def gadget() -> dict[str, str]:
    return generate(load_with_crds("1.35", [GADGET]))


# The expected names are those of heck 0.5, which kopium uses.
@pytest.mark.parametrize(
    ("name", "camel_case", "snake_case"),
    [
        ("issuerRef", "IssuerRef", "issuer_ref"),
        ("HTTPRoute", "HttpRoute", "http_route"),
        ("clusterIPs", "ClusterIPs", "cluster_i_ps"),
        ("openAPIV3Schema", "OpenApiv3Schema", "open_apiv3_schema"),
        ("A1B2C", "A1b2c", "a1b2c"),
        ("a1B2", "A1B2", "a1_b2"),
        ("XMLHttp2Request", "XmlHttp2Request", "xml_http2_request"),
        ("snake_case-and more", "SnakeCaseAndMore", "snake_case_and_more"),
        ("2fast", "2fast", "2fast"),
        ("$", "", ""),
    ],
)
def test_words_are_those_of_heck(name: str, camel_case: str, snake_case: str) -> None:
    assert kopium.camel_case(name) == camel_case
    assert kopium.snake_case(name) == snake_case


def field_names(names: Iterable[str]) -> dict[str, str]:
    return free_names({name: kopium.field_name(name) for name in names})


# The values of kopium's own tests (output.rs), which counts the x behind names.
def test_repeated_names_have_digits_that_others_do_not_change() -> None:
    names = ["jwks_uri", "jwks-uri", "jwksUri", "JwksUri"]
    named = field_names(names)
    assert named["JwksUri"] == "jwks_uri"
    assert re.fullmatch("jwks_uri_[0-9a-f]{4}", named["jwks_uri"])
    assert len(set(named.values())) == 4
    assert field_names(["a", *reversed(names)]) == {"a": "a", **named}
    variants = kopium.variants(["replace", "Replace", "hashmod", "HashMod"]).names
    assert variants["Replace"] == "Replace" and len(set(variants.values())) == 4


def test_keywords_and_signs_become_identifiers() -> None:
    names = ["type", "self", "crate", "1st", "-", "_", "", "$", "ü"]
    assert list(field_names(names).values()) == [
        *("r#type", "_self", "_crate", "_1st", "kopium_dash", "kopium_underscore"),
        *("__", "___", "___6074"),
    ]
    variants = kopium.variants(["", "-", "_", "self", "301", "!=", "Other"])
    assert list(variants.names.values()) == [
        *("KopiumEmpty", "KopiumDash", "KopiumUnderscore", "_Self", "_301"),
        *("KopiumVariantc109", "Other"),
    ]
    assert variants.other == "Otherf97e"


@given(st.lists(st.text(), max_size=8, unique=True))
def test_names_are_unique_identifiers(texts: list[str]) -> None:
    variants = kopium.variants(texts)
    for names in (
        list(field_names(texts).values()),
        [*variants.names.values(), variants.other],
    ):
        plain = [name.removeprefix("r#") for name in names]
        assert len(set(plain)) == len(names)
        assert all(name.isascii() and name.isidentifier() for name in plain)
        assert not {"self", "Self", "super", "crate", "_"} & set(plain)


def declared(text: str, name: str) -> dict[str, str]:
    """The fields of a struct with their types, or the variants of an enum."""
    match = re.search(rf"pub (?:struct|enum) {name} \{{(.*?)\}}\n", text, re.S)
    assert match, name
    lines = re.findall(r"^    (?:pub )?([^/#\s][^:(,]*)(.*),$", match[1], re.M)
    return {name: type_.removeprefix(": ") for name, type_ in lines}


def test_a_kind_is_in_the_module_of_its_group_and_version(
    gadget: dict[str, str],
) -> None:
    assert "pub use self::http_gadget::*;" in gadget["src/api/example_com/v1/mod.rs"]
    assert "pub mod v1;" in gadget["src/api/example_com/mod.rs"]
    modules = gadget["src/api/mod.rs"]
    assert "pub mod example_com;" in modules and "pub mod apps;" in modules
    # The list kind is a List<HttpGadget>, and there is no other file of the group.
    files = [path for path in gadget if "example_com" in path]
    assert len(files) == 3


def test_fields_have_the_names_and_types_of_kopium(gadget: dict[str, str]) -> None:
    assert declared(gadget[FILE], "HttpGadgetSpec") == {
        "annotations": "Option<BTreeMap<String, String>>",
        "anything": "Option<crate::serde_json::Value>",
        "bytes": "Option<String>",
        "cluster_i_ps": "Option<Vec<String>>",
        "config": "Option<super::HttpGadgetConfig>",
        "count": "Option<u32>",
        "empty": "Option<super::HttpGadgetEmpty>",
        "host_aliases": "Option<super::HttpGadgetHostAliases>",
        "host_aliases_0326": "Option<super::HttpGadgetHostAliases06b7>",
        "keyed": "Option<Vec<super::HttpGadgetKeyed>>",
        "r#match": "Option<String>",
        "mode": "super::HttpGadgetMode",
        "mode_by_name": "Option<BTreeMap<String, super::HttpGadgetModeByName>>",
        "modes": "Option<Vec<super::HttpGadgetModes>>",
        "nullable_count": "Option<Option<i64>>",
        "nullable_items": "Option<Vec<Option<String>>>",
        "nullable_keyed": "Option<Option<Vec<super::HttpGadgetNullableKeyed>>>",
        "nullable_mode": "Option<super::HttpGadgetNullableMode>",
        "nullable_text": "Option<String>",
        "nullable_values": "Option<BTreeMap<String, Option<i64>>>",
        "open": "Option<BTreeMap<String, crate::serde_json::Value>>",
        "port": "crate::apimachinery::pkg::util::intstr::IntOrString",
        "r#ref": "Option<crate::api::core::v1::ObjectReference>",
        "_self": "Option<String>",
        "template": "Option<super::HttpGadgetTemplate>",
        "time": "Option<String>",
        "r#type": "Option<String>",
        "union": "Option<Vec<crate::serde_json::Value>>",
        "unknown_fields": "Option<Vec<Vec<super::HttpGadgetUnknownFields>>>",
    }


def test_enums_have_a_variant_for_each_value_and_one_for_any_other(
    gadget: dict[str, str],
) -> None:
    assert declared(gadget[FILE], "HttpGadgetMode") == {
        "A": "",
        "BC": "",
        "KopiumEmpty": "",
        "Other": "",
        "Aca97": "",
        "_301": "",
        "Otherf97e": "(String)",
    }
    assert '    KopiumEmpty = "";\n    Other = "Other";\n' in gadget[FILE]
    # Null is no variant.
    assert declared(gadget[FILE], "HttpGadgetNullableMode") == {
        "X": "",
        "Other": "(String)",
    }


def test_unknown_fields_are_kept_where_the_server_keeps_them(
    gadget: dict[str, str],
) -> None:
    unknown = {"unknown_fields": "BTreeMap<String, crate::serde_json::Value>"}
    fields = declared(gadget[FILE], "HttpGadgetConfig")
    assert fields == {"known": "Option<bool>", **unknown}
    # An embedded resource is an object, and its metadata is not always written.
    meta = "crate::apimachinery::pkg::apis::meta::v1::ObjectMeta"
    assert declared(gadget[FILE], "HttpGadgetTemplate") == {
        "api_version": "String",
        "kind": "String",
        "metadata": f"Option<{meta}>",
        **unknown,
    }


def test_conditions_that_are_kubernetes_own_have_its_type(
    gadget: dict[str, str],
) -> None:
    condition = "crate::apimachinery::pkg::apis::meta::v1::Condition"
    status = declared(gadget[FILE], "HttpGadgetStatus")
    assert status["conditions"] == f"Option<Vec<{condition}>>"
    assert "HttpGadgetStatusConditions" not in gadget[FILE]
    # Conditions with another field would lose it.
    history = declared(gadget[FILE], "HttpGadgetStatusHistory")
    own = "HttpGadgetStatusHistoryConditions"
    assert history["conditions"] == f"Option<Vec<super::{own}>>"
    assert "severity" in declared(gadget[FILE], own)


def test_a_type_that_others_than_custom_kinds_refer_to_stays() -> None:
    package = "#/definitions/com.example.v1."
    served = {"group": "example.com", "version": "v1", "kind": "Widget"}
    widget = {
        **struct(conditions=array({"$ref": f"{package}WidgetCondition"})),
        "x-kubernetes-group-version-kind": [served],
    }
    others = make_release(
        {
            "com.example.v1.Widget": widget,
            "com.example.v1.WidgetCondition": CONDITION,
            "org.example.Holder": struct(one={"$ref": f"{package}WidgetCondition"}),
        }
    )
    release = load("1.35")
    definitions = {**release.definitions, **others.definitions}
    generated = generate(replace(release, definitions=definitions))
    holder = declared(generated["src/org/example/holder.rs"], "Holder")
    assert holder["one"] == "Option<crate::com::example::v1::WidgetCondition>"
    spec = declared(generated["src/api/example_com/v1/widget.rs"], "Widget")
    condition = "crate::apimachinery::pkg::apis::meta::v1::Condition"
    assert spec["conditions"] == f"Option<Vec<{condition}>>"


def test_custom_resources_alone_have_all_that_they_refer_to() -> None:
    generated = generate(load_crds(GADGET))
    assert "src/apimachinery/pkg/util/intstr/int_or_string.rs" in generated
    status = declared(generated[FILE], "HttpGadgetStatus")
    assert status["conditions"] == "Option<Vec<super::HttpGadgetStatusConditions>>"
    fields = declared(generated[FILE], "HttpGadgetStatusConditions")
    assert fields["last_transition_time"] == "String"


def test_no_type_takes_the_name_of_a_kind_or_its_spec() -> None:
    """``spec.class`` of Cluster would be ClusterClass, as a kind is called."""
    cluster = struct(
        **{"class": struct(a=STRING), "classSpec": struct(b=STRING)},
        list=struct(d=STRING),
    )
    generated = generate(
        load_crds(
            crd("Cluster", spec=cluster),
            crd("ClusterClass", spec=struct(c=STRING)),
        )
    )
    text = generated["src/api/example_com/v1/cluster.rs"]
    assert declared(text, "ClusterSpec") == {
        "class": "Option<super::ClusterClassa882>",
        "class_spec": "Option<super::ClusterClassSpec143b>",
        "list": "Option<super::ClusterList>",
    }
    other = generated["src/api/example_com/v1/cluster_class.rs"]
    assert declared(other, "ClusterClassSpec") == {"c": "Option<String>"}


def test_groups_and_versions_never_share_a_module() -> None:
    groups = ("a.b.example.com", "a-b.example.com", "1.example.com")
    crds = [crd("Thing", group=group, version="v1-alpha") for group in groups]
    generated = generate(load_crds(*crds, crd("Key", version="fn")))
    texts = {
        path: re.findall(r'const GROUP: &\'static str = "(.*)";', text)
        for path, text in generated.items()
        if path.endswith(("thing.rs", "key.rs"))
    }
    assert texts == {
        "src/api/_1_example_com/v1_alpha/thing.rs": ["1.example.com"],
        "src/api/a_b_example_com/v1_alpha/thing.rs": ["a-b.example.com"],
        "src/api/a_b_example_com_532e/v1_alpha/thing.rs": ["a.b.example.com"],
        "src/api/example_com/fn_/key.rs": ["example.com"],
    }


def test_a_list_kind_of_another_name_is_a_list() -> None:
    generated = generate(load_crds(crd("Goose", names={"listKind": "Flock"})))
    text = generated["src/api/example_com/v1/goose.rs"]
    assert 'LIST_KIND: &\'static str = "Flock";' in text
    assert "src/list.rs" in generated and "flock.rs" not in " ".join(generated)


def scope_of(text: str) -> list[str]:
    segment = re.findall(r'URL_PATH_SEGMENT: &\'static str = "(.*)";', text)
    return segment + re.findall(r"type Scope = crate::(\w+);", text)


def test_a_kind_has_the_plural_and_scope_of_its_crd() -> None:
    generated = generate(
        load_with_crds(
            "1.35",
            [crd("Mouse", names={"plural": "mice"}), crd("House", scope="Cluster")],
        )
    )
    folder = "src/api/example_com/v1"
    assert scope_of(generated[f"{folder}/mouse.rs"]) == [
        "mice",
        "NamespaceResourceScope",
    ]
    assert scope_of(generated[f"{folder}/house.rs"]) == [
        "houses",
        "ClusterResourceScope",
    ]
    # Those of the release have theirs beside them.
    assert scope_of(generated["src/api/core/v1/pod.rs"]) == [
        "pods",
        "NamespaceResourceScope",
    ]
    assert "UnknownResourceScope" not in "".join(generated.values())


def test_one_odd_kind_does_not_take_plural_and_scope_from_others() -> None:
    """A kind of which nobody says how it is served has no plural, others have theirs."""
    odd = {
        "com.example.odd.v1.Odd": {
            **struct(apiVersion=STRING, kind=STRING, metadata={"type": "object"}),
            "x-kubernetes-group-version-kind": [
                {"group": "odd.example.com", "version": "v1", "kind": "Odd"}
            ],
        }
    }
    release = load_with_crds("1.35", [crd("Mouse")])
    definitions = {**release.definitions, **make_release(odd).definitions}
    generated = generate(replace(release, definitions=definitions))
    assert scope_of(generated["src/api/odd_example_com/v1/odd.rs"]) == [
        "",
        "UnknownResourceScope",
    ]
    assert scope_of(generated["src/api/example_com/v1/mouse.rs"])[0] == "mouses"
    assert scope_of(generated["src/api/core/v1/pod.rs"])[0] == "pods"
    assert "UnknownResourceScope" in generated["src/lib.rs"]


@pytest.mark.nightly
def test_the_fields_of_real_custom_resources_are_typed() -> None:
    """All of a real server, but for those that preserve unknown fields."""
    crds = stored_crds()
    generated = generate(load_with_crds("1.35", crds))
    texts = [text for path, text in generated.items() if path.startswith("src/api/")]
    kinds = [
        text for text in texts if text.startswith("// Generated from the definition of")
    ]
    served = [
        version
        for item in crds
        for version in item["spec"]["versions"]
        if version.get("served", True)
    ]
    assert len(kinds) == len(served)
    types = [
        type_
        for text in kinds
        for name in re.findall(r"pub struct (\w+)", text)
        for type_ in declared(text, name).values()
    ]
    untyped = [type_ for type_ in types if "serde_json::Value" in type_]
    assert len(types) > 30_000 and len(untyped) < 0.02 * len(types)
    assert not any("Scope = crate::UnknownResourceScope" in text for text in texts)
