"""What the docs site shows of custom resources."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.targets.site.fields.schema_labels import requirements_of
from tests.cluster import load_crds
from tests.conftest import Command, make_release
from tests.site_pages import Page, Site
from tests.strategies import generate_all_files
from tests.test_crd import WIDGET, write
from tests.test_site_hostile_specs import HOSTILE, assert_harmless

RULE = {"rule": "has(self.a) == has(self.b)", "message": "a needs b"}
TEXT = {"type": "string"}
SPEC = {
    "type": "object",
    "x-kubernetes-validations": [RULE, {"rule": "true", "messageExpression": "'x'"}],
    "oneOf": [{"required": ["mode"]}, {"required": ["size", "share"]}],
    "properties": {
        "mode": {**TEXT, "enum": ["Fast", "Slow"], "default": "Fast", "nullable": True},
        "size": {
            "type": "integer",
            "minimum": 0,
            "exclusiveMinimum": True,
            "maximum": 9,
            "multipleOf": 3,
        },
        "share": {"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%?$"},
        "options": {"type": "object", "default": {}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "tags": {
            "type": "array",
            "minItems": 1,
            "maxItems": 4,
            "items": {**TEXT, "maxLength": 63},
            "x-kubernetes-list-type": "set",
        },
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "minProperties": 1,
                "properties": {"a": TEXT},
                "x-kubernetes-validations": [RULE],
            },
        },
    },
}


def crd(spec: dict[str, Any] = SPEC) -> dict[str, Any]:
    """A CustomResourceDefinition that says all that it can about its kind."""
    value = copy.deepcopy(WIDGET)
    value["spec"]["names"] |= {"shortNames": ["wd", "wdg"], "categories": ["all"]}
    version = value["spec"]["versions"][0]
    version |= {
        "deprecated": True,
        "deprecationWarning": "use v2",
        "subresources": {"status": {}},
        "selectableFields": [{"jsonPath": ".spec.mode"}],
        "additionalPrinterColumns": [
            {"name": "Mode", "type": "string", "jsonPath": ".spec.mode"}
        ],
    }
    properties = version["schema"]["openAPIV3Schema"]["properties"]
    properties["spec"] = spec
    return value


def render(run: Command, *crds: dict[str, Any]) -> Site:
    """The site of custom resources."""
    write(run.folder, *crds)
    done = run("render", "--crds", "crds.yaml", "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    return Site(run.folder / "out" / "site")


def facts(page: Page) -> dict[str, list[str]]:
    """The facts of a page about its type, by name."""
    (text,) = re.findall(r'<dl class="about-type">(.*?)</dl>', page.text, re.DOTALL)
    return _facts(text)


def field_facts(page: Page, field: str) -> set[str]:
    """What a page says of a field: of its state and its values, and its CEL rules."""
    _, _, text = page.text.partition(f'<li id="{field}">')
    text = text.partition("<li id=")[0]
    state = re.findall(r"<span>(.*?)</span>", text.partition("<p>")[2].split("<p")[0])
    facts = {_text(part) for part in state}
    for values in re.findall(
        r"<(?:p class=s|div class=v)>(.*?)(?=</?div|<[pdu]|$)", text
    ):
        facts |= set(_text(values).split("; "))
    for details in re.findall(r"<dl>(.*?)</dl>", text, re.DOTALL):
        facts |= {f"{name}: {', '.join(v)}" for name, v in _facts(details).items()}
    for rules in re.findall(r"<ul class=rules>(.*?)</ul>", text, re.DOTALL):
        facts |= {f"rule: {_text(rule)}" for rule in rules.split("<li>")[1:]}
    return facts


def _facts(text: str) -> dict[str, list[str]]:
    facts = {}
    for row in re.findall(r"<dt>(.*?)(?=<dt>|\Z)", text, re.DOTALL):
        name, *values = re.split(r"<dd>", row.replace("</dt>", "").replace("</dd>", ""))
        facts[_text(name)] = [_text(value) for value in values if value]
    return facts


def _text(markup: str) -> str:
    return unescape(re.sub(r"<.*?>", "", markup)).strip()


def test_the_page_of_a_kind_says_how_it_is_served(run: Command) -> None:
    page = render(run, crd()).page("crds/example.com/v1/Widget/")
    assert facts(page) == {
        "apiVersion": ["example.com/v1"],
        "kind": ["Widget"],
        "definition": ["com.example.v1.Widget"],
        "scope": ["Namespaced"],
        "stored version": ["yes"],
        "conversion": ["None"],
        "plural": ["widgets"],
        "short names": ["wd", "wdg"],
        "categories": ["all"],
        "subresources": ["status"],
        "selectable fields": ["spec.mode"],
        "columns of kubectl": ["Mode .spec.mode"],
    }
    assert '<p class="notice">Deprecated: use v2</p>' in page.text
    # The list kind is not deprecated, and has no names.
    listed = render(run, crd()).page("crds/example.com/v1/WidgetList/")
    assert '<p class="notice">' not in listed.text
    assert "plural" not in facts(listed)


def test_the_search_has_the_names_of_a_resource(run: Command) -> None:
    render(run, crd())
    script = (run.folder / "out" / "site" / "crds" / "search.js").read_text()
    index = json.loads(script.removeprefix("kubestencilIndex(").removesuffix(")\n"))
    names = {type_[0]: type_[5] for type_ in index["types"]}
    assert "example.com/v1" in index["apiVersions"]
    assert names["Widget"] == "widgets wd wdg"
    # What the search finds by the name of the kind is left out.
    assert names["WidgetList"] == ""


def test_what_is_inside_of_a_kind_is_on_its_page_only(run: Command) -> None:
    """Pages of types inside of custom resources were nine of ten of a catalogue."""
    site = render(run, crd())
    assert "../../example.com/v1/Widget/" in site.page("crds/example.com/v1/").links
    assert not [path for path in site.pages if "WidgetSpec" in path]


def test_fields_at_any_depth_say_since_when() -> None:
    old, new = crd(), crd(copy.deepcopy(SPEC))
    version = new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    version["spec"]["properties"]["parts"]["items"]["properties"]["shape"] = TEXT
    releases = [
        replace(load_crds(old), name="v9"),
        replace(load_crds(new), name="v10"),
    ]
    files = {
        file.path: file.data.decode()
        for file in generate_all_files(releases, load_targets(None)["site"])
    }
    page = files["v10/example.com/v1/Widget/index.html"]
    _, _, shape = page.partition('<li id="spec.parts.shape">')
    assert "new in v10" in shape.partition("<li")[0]
    assert page.count("new in v10") == 1
    assert '["added","since v10"]' in files["v10/search-texts.js"]


def test_own_pages_link_to_fields_at_any_depth(run: Command) -> None:
    write(run.folder, crd())
    (run.folder / "pages").mkdir()
    page = run.folder / "pages" / "index.md"
    options = ("--crds", "crds.yaml", "-t", "site", "--set", "site.pages=pages")
    page.write_text("[part](k8s:Widget.spec.parts.a)")
    assert run("render", *options, "-o", "out").returncode == 0
    links = Site(run.folder / "out" / "site").page("").links
    assert "crds/example.com/v1/Widget/#spec.parts.a" in links
    page.write_text("[part](k8s:Widget.spec.parts.b)")
    assert "has no field spec.parts.b" in run("render", *options, "-o", "out").stderr


def test_a_deprecated_version_without_a_warning_has_that_of_the_server(
    run: Command,
) -> None:
    deprecated = crd()
    del deprecated["spec"]["versions"][0]["deprecationWarning"]
    page = render(run, deprecated).page("crds/example.com/v1/Widget/")
    assert "Deprecated: example.com/v1 Widget is deprecated" in page.text


def test_fields_have_what_the_schema_states(run: Command) -> None:
    site = render(run, crd())
    kind = site.page("crds/example.com/v1/Widget/")
    assert field_facts(kind, "spec.mode") == {
        "default Fast",
        "Fast or Slow",
        "nullable",
    }
    assert field_facts(kind, "spec.size") == {
        "More than 0",
        "up to 9",
        "a multiple of 3",
    }
    assert field_facts(kind, "spec.share") == {"Matches ^[0-9]+%?$"}
    assert field_facts(kind, "spec.options") == {"default {}"}
    assert field_facts(kind, "spec.any") == {"Unknown fields preserved"}
    assert field_facts(kind, "spec.tags") == {
        *("list type: set", "1 to 4", "items: up to 63 characters", "items are unique"),
    }
    assert field_facts(kind, "spec.parts") == {
        "Items: 1 or more fields",
        "rule: items: a needs b has(self.a) == has(self.b)",
    }
    spec = field_facts(kind, "spec")
    assert "Exactly one of mode, size and share" in spec
    assert {fact for fact in spec if fact.startswith("rule")} == {
        "rule: a needs b has(self.a) == has(self.b)",
        "rule: true, message 'x'",
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [("at least one of", ("a", "b"))]),
        (
            {
                "oneOf": [
                    {"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
                    {"required": ["a"]},
                    {"required": ["b"]},
                ]
            },
            [("at most one of", ("a", "b"))],
        ),
        ({"not": {"required": ["a", "b"]}}, [("not together", ("a", "b"))]),
        ({"not": {"required": ["a"]}}, [("none of", ("a",))]),
        ({"not": {"enum": ["x", 1]}}, [("not", ("x", "1"))]),
        ({"oneOf": [{"properties": {"a": {}}}]}, []),
        ({"anyOf": [{}, {"required": ["a"]}]}, []),
        ({"anyOf": [{"format": "ipv4"}, {"pattern": "^x"}]}, [("at least one of", ("format: ipv4", "pattern: ^x"))]),
        (
            {"allOf": [{"minLength": 2}, {"anyOf": [{"required": ["a"]}]}]},
            [("all of", ("minLength: 2",)), ("at least one of", ("a",))],
        ),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, []),
    ],
)  # fmt: skip
def test_conditions_are_stated_in_words(
    schema: dict[str, Any], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    release = make_release({"v1.A": schema})
    assert list(requirements_of(release.definitions["v1.A"].schema)) == expected


def test_hostile_text_in_a_crd_is_escaped(run: Command) -> None:
    names = dict.fromkeys(HOSTILE, TEXT)
    field = {
        "type": "string",
        "enum": [HOSTILE[0], *HOSTILE],
        "pattern": HOSTILE[1],
        "format": HOSTILE[2],
        "not": {"enum": [HOSTILE[3]]},
        "anyOf": [{"pattern": text} for text in HOSTILE],
        "x-kubernetes-validations": [
            {"rule": text, "message": text, "messageExpression": text}
            for text in HOSTILE
        ],
    }
    hostile = crd(
        {
            "type": "object",
            "properties": {
                **names,
                "a": field,
                "b": {**field, "type": "object"},
                # Defaults have the type of their field and satisfy its pattern.
                "c": {**TEXT, "default": HOSTILE[0], "enum": HOSTILE},
                "d": {
                    "type": "object",
                    "additionalProperties": TEXT,
                    "default": dict.fromkeys(HOSTILE, "x"),
                },
            },
            "oneOf": [{"required": [text]} for text in HOSTILE],
            "x-kubernetes-validations": field["x-kubernetes-validations"],
        }
    )
    version = hostile["spec"]["versions"][0]
    version["deprecationWarning"] = HOSTILE[1]
    version["additionalPrinterColumns"] = [
        {"name": text, "type": text, "jsonPath": text, "description": text}
        for text in HOSTILE
    ]
    version["selectableFields"] = [{"jsonPath": text} for text in HOSTILE]
    site = render(run, hostile)
    for page in site.pages.values():
        assert_harmless(page)
    page = site.page("crds/example.com/v1/Widget/")
    assert HOSTILE[1] in unescape(page.text)


@pytest.mark.nightly
def test_examples_can_use_the_official_python_client(run: Command) -> None:
    """It has no classes of custom resources, which have no example in Python then."""
    write(run.folder, crd())
    done = run(
        *("render", "1.35", "--kind", "ConfigMap", "--kind", "Widget"),
        *("--crds", "crds.yaml", "-t", "site", "-o", "out"),
        "--set=site.official_python=true",
    )
    assert done.returncode == 0, done.stderr
    site = Site(run.folder / "out" / "site")
    page = site.page("1.35/core/v1/ConfigMap/").text
    assert "<code>pip install kubernetes</code>" in page
    assert "kubernetes.client" in _text(page)
    assert 'value="python"' not in site.page("1.35/example.com/v1/Widget/").text
    names = (run.folder / "out/site/1.35/python-names.js").read_text()
    assert '"package":"kubernetes.client"' in names


def test_rules_say_what_cannot_change(run: Command) -> None:
    """A rule that compares with the old object is about updates; the chip "immutable"
    shows a field whose value has to equal the old one."""
    rule = {"rule": "self == oldSelf", "message": "mode is fixed"}
    mode = {**TEXT, "x-kubernetes-validations": [rule]}
    spec = {"type": "object", "properties": {"mode": mode}}
    page = render(run, crd(spec)).page("crds/example.com/v1/Widget/")
    facts_of_mode = field_facts(page, "spec.mode")
    assert facts_of_mode == {
        *("Fixed once it is set", "rule: mode is fixed self == oldSelf on updates"),
    }


def test_versions_of_a_kind_are_compared(run: Command) -> None:
    """On the pages of both; kinds with one version have no comparison."""
    value = crd()
    old = copy.deepcopy(value["spec"]["versions"][0])
    old |= {"name": "v1beta1", "storage": False, "subresources": {}}
    properties = old["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    properties["pace"] = properties.pop("mode")
    properties["size"]["maximum"] = 12
    other = json.loads(json.dumps(crd()).replace("idget", "asher"))
    value["spec"]["versions"].append(old)
    site = render(run, value, other)
    for version in ("v1", "v1beta1"):
        text = site.page(f"crds/example.com/{version}/Widget/").text
        _, _, section = text.partition('<h2 id="from-v1beta1">From v1beta1 to v1</h2>')
        changes = [_text(item) for item in section.split("</ul>")[0].split("<li>")]
        assert "safe Widget.spec.mode field added string" in changes
        assert "breaking Widget.spec.pace field removed string" in changes
        assert any(
            "Widget.spec.size maximum changed 12 → 9" in line for line in changes
        )
        assert "warning Widget subresource added status" in changes
        assert 'href="#from-v1beta1"' in text
    assert "from-v1" not in site.page("crds/example.com/v1/Washer/").text
