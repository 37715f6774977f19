"""Only ``schema/`` reads the JSON of a document; others get typed values."""

from pathlib import Path
from typing import get_type_hints

import kubestencil
from kubestencil.schema import types

CODE = Path(kubestencil.__file__).parent
#: What prints a schema as JSON, or gives it to templates as the document has it.
SERIALIZERS = {
    "diff/differences/definitions.py",
    "diff/documents.py",
    "targets/jsonschema/definitions.py",
    "targets/model/linked.py",
}


def test_only_serializers_get_the_json_of_a_schema() -> None:
    """mypy refuses any other way: ``Schema.raw`` is an ``object`` for it."""
    assert get_type_hints(types.Schema)["raw"] is object
    users = {
        path.relative_to(CODE).as_posix()
        for path in CODE.rglob("*.py")
        if "json_object" in path.read_text("utf-8")
    }
    assert {path for path in users if not path.startswith("schema/")} == SERIALIZERS
