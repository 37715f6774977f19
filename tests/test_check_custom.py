"""Custom resources are checked against the schemas of their CRDs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubestencil.checking.decoding.custom import PATTERN
from kubestencil.checking.files.definitions import definitions_in
from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import ParsedManifests
from kubestencil.cli import cli
from kubestencil.schema.custom_resources.conditions import satisfies_keywords
from kubestencil.shards import Shard
from kubestencil.source.json_text import json_documents

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [size]
              x-kubernetes-validations: [{rule: "self.size > 0"}]
              properties:
                size: {type: integer, minimum: 1}
                colour: {type: string, enum: [red, blue]}
                name: {type: string, pattern: "(?i)^[a-z]+$"}
                long: {type: string, pattern: "^(a{1000}){4}$"}
                port: {x-kubernetes-int-or-string: true}
                maybe: {type: string, nullable: true}
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [id]
                  items:
                    type: object
                    required: [id]
                    properties: {id: {type: string}}
                open: {type: object, x-kubernetes-preserve-unknown-fields: true}
                opens:
                  type: array
                  x-kubernetes-preserve-unknown-fields: true
                  items:
                    type: object
                    properties: {inner: {type: object}}
"""


def check_spec(
    tmp_path: Path, spec: str
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    (tmp_path / "crd.yaml").write_text(CRD)
    path = tmp_path / "widget.yaml"
    path.write_text(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
        f"spec: {spec}\n"
    )
    arguments = ["--to", "1.35", "--crds", str(tmp_path / "crd.yaml")]
    result = CliRunner().invoke(
        cli, ["check", str(path), *arguments, "-q", "-f", "json"]
    )
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    return (
        [(finding["rule"], finding["path"]) for finding in report["findings"]],
        {entry["reason"]: entry["count"] for entry in report["skipped"]},
    )


def test_a_valid_object_has_no_finding_and_cel_is_counted(tmp_path: Path) -> None:
    findings, skipped = check_spec(
        tmp_path,
        "{size: 1, colour: red, name: AbC, port: 80, maybe: null, "
        "parts: [{id: a}, {id: b}], open: {x: {y: 1}}}",
    )
    assert findings == []
    assert skipped == {"CEL rules of custom resources": 1}


def test_a_pattern_that_is_too_large_is_counted_as_not_checked(tmp_path: Path) -> None:
    findings, skipped = check_spec(tmp_path, "{size: 1, long: b}")
    assert findings == []
    assert skipped[PATTERN] == 1


def test_every_rule_of_the_schema_is_applied(tmp_path: Path) -> None:
    findings, _ = check_spec(
        tmp_path,
        "{size: 0, colour: green, name: a1, port: true, maybe: 1, "
        "parts: [{id: a}, {id: a}, {ix: c}], unknown: 1, open: 3}",
    )
    assert set(findings) == {
        ("invalid-value", "spec.size"),
        ("invalid-enum", "spec.colour"),
        ("invalid-value", "spec.name"),
        ("wrong-type", "spec.port"),
        ("wrong-type", "spec.maybe"),
        ("invalid-value", "spec.parts"),
        ("unknown-field", "spec.parts[2].ix"),
        ("missing-field", "spec.parts[2].id"),
        ("unknown-field", "spec.unknown"),
        ("wrong-type", "spec.open"),
    }


def test_a_list_that_keeps_unknown_fields_keeps_those_of_its_items(
    tmp_path: Path,
) -> None:
    spec = "{size: 1, opens: [{other: 1, inner: {a: 1}}]}"
    findings, _ = check_spec(tmp_path, spec)
    assert findings == [("unknown-field", "spec.opens[0].inner.a")]


def test_null_is_an_absent_field_where_the_schema_is_not_nullable(
    tmp_path: Path,
) -> None:
    findings, _ = check_spec(tmp_path, "{size: 1, colour: null}")
    assert findings == []
    findings, _ = check_spec(tmp_path, "{size: null}")
    assert findings == [("missing-field", "spec.size")]


def test_whole_numbers_are_integers(tmp_path: Path) -> None:
    # In YAML, since 1e3 is 1000 there.
    findings, _ = check_spec(tmp_path, "{size: 1e3, port: !!float 80}")
    assert findings == []


def test_formats_are_checked_as_the_server_checks_them(tmp_path: Path) -> None:
    valid: dict[str, tuple[str, ...]] = {
        "date-time": ("2024-01-31T12:00:00Z", "2024-01-31t12:00:00.5+01:00"),
        "byte": ("QQ==", "AAEC"),
    }
    invalid: dict[str, tuple[str, ...]] = {
        "date-time": ("", "2024-02-30T12:00:00Z", "2024-01-31", "2024-01-31T24:00:00Z"),
        "byte": ("", "QQ", "====", "AA\nEC"),
    }
    for format_, texts in valid.items():
        assert all(satisfies_keywords(text, {"format": format_}) for text in texts)
    for format_, texts in invalid.items():
        assert not any(satisfies_keywords(text, {"format": format_}) for text in texts)


def test_a_key_of_json_is_repeated_in_one_object_only() -> None:
    text = '{"a": {"b": 1}, "a": {"b": 2, "c": [{"d": 1}, {"d": 2, "d": 3}]}}'
    [document] = json_documents(text) or []
    assert [repeated.path for repeated in document.repeated] == [
        ("a",),
        ("a", "c", 1, "d"),
    ]


def test_integers_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    for size in ("9223372036854775808", "1e300", "1.5"):
        findings, _ = check_spec(tmp_path, f"{{size: {size}}}")
        assert ("wrong-type", "spec.size") in findings, size


def test_a_required_field_that_is_absent_is_warned_of(tmp_path: Path) -> None:
    findings, _ = check_spec(tmp_path, "{colour: red}")
    assert findings == [("missing-field", "spec.size")]


def test_definitions_among_the_files_define_their_kinds(tmp_path: Path) -> None:
    """Those that are not valid, or there twice, define none; of their group, others may
    exist."""
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "copy.yaml").write_text(CRD)
    broken = CRD.replace("widgets", "gadgets").replace("Widget", "Gadget")
    (tmp_path / "broken.yaml").write_text(broken.replace("type: object", "type: x"))
    widget = "apiVersion: example.com/v1\nkind: {}\nmetadata: {{name: a}}\n"
    text = "---\n".join(map(widget.format, ("Widget", "Gadget", "Other")))
    text = text.replace("kind: Widget", "kind: Widget\nspec: {size: none}")
    path = tmp_path / "objects.yaml"
    path.write_text(text)

    def check(*arguments: str, given: str = "") -> str:
        args = ("check", *arguments, "--to", "1.35", "--exact", "off", "-q")
        return CliRunner().invoke(cli, args, given).stdout

    for report in (
        check(str(tmp_path)),
        check("-", given=f"{CRD}---\n{text}"),
    ):
        assert "(wrong-type)" in report
        assert "Without a schema: 1 Gadget of example.com/v1, 1 Other of" in report
        assert "--crds FILE|DIR|URL" in report
    assert "1 Widget of" in check(str(tmp_path), "--no-tree-crds")


_SCHEMAS = {
    # As openapi2jsonschema of CRDs-catalog writes them.
    "example.com/widget_v1.json": {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer", "minimum": 1}},
                "additionalProperties": False,
            },
            "metadata": {"type": "object"},
        },
    },
    "example.com/gizmo_v1.json": {
        "type": "object",
        "properties": {"spec": {"type": "string"}},
    },
    "example.com/broken_v1.json": {"type": "object", "$ref": "#/definitions/a"},
}


def test_what_is_parsed_early_is_kept_up_to_a_limit_and_for_its_shard() -> None:
    # A fleet's definitions, all of them kept, needed 7 GB.
    data = CRD.encode()
    limited = ParsedManifests(max_bytes=2 * len(data))
    others = ParsedManifests(
        next(shard for shard in map(Shard, (1, 2), (2, 2)) if not shard.has("0.yaml"))
    )
    for parsed, kept in ((limited, [True, True, False]), (others, [False])):
        for index, is_kept in enumerate(kept):
            name = f"{index}.yaml"
            first = parsed.parse(data, name)
            assert (parsed.parse(data, name) is first) is is_kept
            assert (parsed.take(data, name) is first) is is_kept


def test_copies_of_a_file_define_their_kinds_once(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(CRD)
    files = list(find_files([str(tmp_path)]))
    found = definitions_in(files, ParsedManifests(), unserved=False)
    assert found is not None
    assert [Path(name).name for name in found.locations] == ["a.yaml"]


@pytest.mark.parametrize("is_address", [False, True])
def test_a_catalogue_of_schemas_defines_the_kinds_of_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_address: bool
) -> None:
    """The kind decides which schema, or a comment above an object names it."""
    where = str(tmp_path / "catalogue")
    for name, schema in _SCHEMAS.items():
        (tmp_path / "catalogue/example.com").mkdir(parents=True, exist_ok=True)
        (tmp_path / "catalogue" / name).write_text(json.dumps(schema))
    if is_address:
        where = "https://schemas.example.com/0123abc/"
        found = {f"{where}{name}": text for name, text in _SCHEMAS.items()}

        def download(url: str) -> bytes | None:
            return json.dumps(found[url]).encode() if url in found else None

        monkeypatch.setattr("kubestencil.source.remote.download_if_there", download)
    kinds = ("Widget", "Gadget", "Other", "Broken", "Widget")
    texts = [
        f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: a}}\n"
        "spec: {size: 0, colour: red}\n"
        for kind in kinds
    ]
    modeline = "# yaml-language-server: $schema=https://a/b/example.com/gizmo_v1.json\n"
    path = tmp_path / "objects.yaml"
    path.write_text(f"{texts[0]}---\n{modeline}" + "---\n".join(texts[1:]))
    arguments = ("--to", "1.35", "--exact", "off", "-q", "--crds", where)
    report = CliRunner().invoke(cli, ["check", str(path), *arguments]).stdout
    assert report.count('unknown field "spec.colour"') == 2
    assert report.count("0 breaks the limit: minimum 1") == 2
    assert "must be a string, not an object" in report
    assert "1 Other of example.com/v1" in report
    assert "1 Broken of example.com/v1" in report


def test_defaults_are_there_before_one_of_several_schemas_is_chosen(
    tmp_path: Path,
) -> None:
    schema = (
        "openAPIV3Schema:\n          type: object\n          properties:\n"
        "            address:\n              type: object\n"
        "              oneOf:\n"
        "                - properties: {type: {enum: [IP]}, value: {format: ipv4}}\n"
        "                - properties: {type: {not: {enum: [IP]}}}\n"
        "              properties:\n"
        "                type: {type: string, default: IP}\n"
        "                value: {type: string}\n"
    )
    head = CRD.partition("openAPIV3Schema")[0]
    (tmp_path / "crd.yaml").write_text(head + schema)
    name = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
    for value, is_right in (("1.1.1.1", True), ("x", False)):
        path = tmp_path / "a.yaml"
        path.write_text(f"{name}address: {{value: {value}}}\n")
        args = ["check", str(tmp_path), "--to", "1.35", "--exact", "off", "-q"]
        assert (CliRunner().invoke(cli, args).exit_code == 0) == is_right
