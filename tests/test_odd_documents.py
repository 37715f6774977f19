"""Documents that ``python -m tests.hostile`` found, and that ended with a traceback."""

from __future__ import annotations

import json
from typing import Any

from kubestencil.diff import compare
from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.targets import generate_files
from tests.conftest import Command, make_document, make_source
from tests.reports import comparison_report

_POD = "io.k8s.api.core.v1.Pod"
_KINDS = "x-kubernetes-group-version-kind"


def _pod(**fields: Any) -> dict[str, Any]:
    return {
        _POD: {
            "type": "object",
            "properties": {"kind": {"type": "string"}, **fields},
            _KINDS: [{"group": "", "version": "v1", "kind": "Pod"}],
        }
    }


def test_a_string_whose_enum_has_objects_is_checked(run: Command) -> None:
    document = make_document(_pod(phase={"type": "string", "enum": ["a", {}]}))
    (run.folder / "spec.json").write_text(json.dumps(document))
    (run.folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nphase: b\n")
    done = run("check", "pod.yaml", "--spec", "spec.json")
    assert done.returncode == 1
    assert "hint: use one of a, {}" in done.stdout


def test_an_object_inside_of_a_built_in_definition_of_a_cluster_has_markdown() -> None:
    """API servers name all objects of built-in definitions."""
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    lists = {"type": "array", "items": {"type": "array", "items": inner}}
    custom = {"com.example.v1.Thing": {"type": "object", _KINDS: []}}
    release = load_release(make_source(_pod(lists=lists) | custom))
    target = load_targets(None)["markdown"]
    pages = {file.path: file.data.decode() for file in generate_files(release, target)}
    assert "**lists** | **List[List[object]]**" in pages["docs/V1Pod.md"]


def test_groups_of_a_field_that_are_no_text_are_compared() -> None:
    """Only those of definitions are checked: fields have none."""

    def release(group: Any) -> Release:
        field = {"type": "string", _KINDS: [{"group": group, "version": "v1"}]}
        return load_release(make_source(_pod(field=field)))

    text = comparison_report(compare(release("a"), release(5)), "text")
    assert "served kinds changed" in text
