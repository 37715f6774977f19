"""The printed classes against those of the official client, class by class.

``conformance/python/official.tsv`` has, for each class of the ``kubernetes``
packages 29 to 35 that their ``models`` exports, the digest of its module,
``attribute_map``, ``openapi_types`` (both in order) and required attributes, and
the releases in which it is so. kubernetes 31 and 32 also carry modules of older
releases that nothing imports (``V1ClaimSource`` and so on): those are left out.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from tests.conftest import RELEASES, full_specs, load
from tests.packages import imported, print_package

LISTS = Path(__file__).parent / "conformance"


def official(release: str) -> dict[str, str]:
    lines = (LISTS / "python" / "official.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: digest for name, digest, in_ in rows if release in in_.split(",")}


def printed(release: str, specs: Path | None, folder: Path) -> dict[str, str]:
    import msgspec

    package = f"conformance_{'full' if specs else 'embedded'}_{release[2:]}"
    print_package(load(release, specs), folder, package)
    models = imported(folder, f"{package}.models")
    found = {}
    for name in models.__all__:
        model = getattr(models, name)
        required = [f.name for f in msgspec.structs.fields(model) if f.required]
        facts = [
            model.__module__.rpartition(".")[2],
            list(model.attribute_map.items()),
            list(model.openapi_types.items()),
            sorted(required),
        ]
        text = json.dumps(facts, separators=(",", ":"))
        found[name] = hashlib.sha256(text.encode()).hexdigest()[:32]
    return found


def differences(ours: dict[str, str], theirs: dict[str, str]) -> set[str]:
    return {name for name, _ in ours.items() ^ theirs.items()}


@pytest.mark.parametrize("release", RELEASES)
def test_classes_on_the_embedded_specs(release: str, tmp_path: Path) -> None:
    """On another patch of Kubernetes only what that patch changed may differ."""
    other_patch = tomllib.loads((LISTS / "embedded.toml").read_text()).get(release, {})
    changed = {Path(page).stem for page in other_patch}
    found = differences(printed(release, None, tmp_path), official(release))
    assert found <= changed


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", RELEASES)
def test_classes_on_the_full_specs(release: str, tmp_path: Path) -> None:
    ours = printed(release, full_specs(), tmp_path)
    assert differences(ours, official(release)) == set()
