"""Error messages and hints."""

from __future__ import annotations

import pickle

import pytest

from kubestencil import render
from kubestencil.errors import SpecError, UsageError, is_one_edit, nearest


def test_a_message_has_the_position_and_the_hint() -> None:
    assert str(SpecError("is empty")) == "is empty"
    error = SpecError("is empty", where="a.json#/x", hint="fetch it again")
    assert str(error) == "a.json#/x: is empty\n  fetch it again"


def test_an_error_of_a_worker_process_keeps_its_parts() -> None:
    error = pickle.loads(pickle.dumps(SpecError("is empty", where="x", hint="y")))
    assert isinstance(error, SpecError)
    assert (error.what, error.where, error.hint) == ("is empty", "x", "y")
    assert error.exit_code == 1


def test_similar_names_are_suggested_and_all_are_listed() -> None:
    assert nearest("modle", ["model", "site"]) == (
        "did you mean model?\n  available: model, site"
    )
    assert nearest("x", ["model", "site"]) == "available: model, site"
    assert nearest("x", []) == ""


@pytest.mark.parametrize("name", ["pdo", "pd", "pood", "pot", "od", "pod"])
def test_a_name_with_one_wrong_letter_is_suggested_first(name: str) -> None:
    assert is_one_edit(name, "pod") == (len(name) > 2)
    if len(name) > 2:
        assert nearest(name, ["podos", "pod"]).startswith("did you mean pod")
    assert not is_one_edit(name, "node")


def test_a_long_list_of_names_is_left_out() -> None:
    names = [f"definition{index}" for index in range(31)]
    assert nearest("x", names) == ""
    assert nearest("x", names[1:]).startswith("available: definition1, definition2")


def test_a_string_is_not_a_list_of_documents() -> None:
    with pytest.raises(UsageError, match=r"documents: must be a list.*\n.*\['1.35'\]"):
        render("1.35", targets=["typescript"])
    with pytest.raises(UsageError, match="targets: must be a list"):
        render(["1.35"], targets="typescript")
