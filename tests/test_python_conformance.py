"""The generated classes have the names and types of the official client's.

``conformance/python/official.tsv`` has a line for each class that ``models`` of the
``kubernetes`` packages 29 to 37 exports: its name, a digest of its module,
``attribute_map``, ``openapi_types`` (both in order) and required attributes, and the
releases that have it in this form. kubernetes 31 and 32 also contain modules of older
releases that nothing imports (``V1ClaimSource`` and others); these are left out. kubernetes
36 writes ``dict[str, str]`` for ``dict(str, str)``, and 37 ``bytes`` for the ``str`` of
base64; the list has the older form.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kubestencil.source.releases import has_reached
from tests.conftest import EACH_RELEASE, full_specs, load
from tests.packages import generate_package, import_package
from tests.published import LISTS, read_list

# The classes with a field that kubernetes 36 and 37 renamed with a new generator: pod_cidrs,
# which was pod_cid_rs.
RENAMED_IN_36 = frozenset(
    f"V1{name}"
    for name in (
        "APIGroup",
        "APIVersions",
        "FCVolumeSource",
        "NodeSpec",
        "NonResourcePolicyRule",
        "NonResourceRule",
        "PodStatus",
        "PolicyRule",
        "ServiceSpec",
    )
)


def official_digests(release: str) -> dict[str, str]:
    """The digest of every class of the official client, by name."""
    rows = (line.split("\t") for line in read_list("python/official.tsv").splitlines())
    digests = {
        name: digest
        for name, digest, releases in rows
        if release in releases.split(",")
    }
    if not digests:
        pytest.skip(f"python/official.tsv does not list {release}")
    return digests


def renamed(release: str) -> frozenset[str]:
    return RENAMED_IN_36 if has_reached(release, "1.36") else frozenset()


def generated_digests(release: str, specs: Path | None, folder: Path) -> dict[str, str]:
    """The digest of every generated class, by name."""
    package = f"conformance_{'full' if specs else 'embedded'}_{release[2:]}"
    generate_package(load(release, specs), folder, package)
    models = import_package(folder, f"{package}.models")
    return {name: class_digest(getattr(models, name)) for name in models.__all__}


def class_digest(model: Any) -> str:
    import msgspec

    fields = msgspec.structs.fields(model)
    interface = [
        model.__module__.rpartition(".")[2],
        list(model.attribute_map.items()),
        list(model.openapi_types.items()),
        sorted(field.name for field in fields if field.required),
    ]
    text = json.dumps(interface, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def differing_classes(generated: dict[str, str], official: dict[str, str]) -> set[str]:
    return {name for name, _ in generated.items() ^ official.items()}


@pytest.mark.parametrize("release", EACH_RELEASE)
def test_classes_from_the_embedded_specs_differ_only_by_patch(
    release: str, tmp_path: Path
) -> None:
    pages = tomllib.loads((LISTS / "embedded.toml").read_text()).get(release, {})
    changed = {Path(page).stem for page in pages}
    generated = generated_digests(release, None, tmp_path)
    changed |= renamed(release)
    assert differing_classes(generated, official_digests(release)) <= changed


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_classes_from_the_full_specs_are_the_official_ones(
    release: str, tmp_path: Path
) -> None:
    generated = generated_digests(release, full_specs(), tmp_path)
    differing = differing_classes(generated, official_digests(release))
    assert differing == renamed(release)
