"""The crate stands in for k8s-openapi: in Cargo's eyes, and for kube, also on a real API
server (tests/api_server.py).

Compiling kube takes minutes: ``KUBESTENCIL_COMPILERS=all pytest tests/test_rust_drop_in.py``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema import Release
from kubestencil.schema.select import select
from kubestencil.source.document import Selection
from kubestencil.targets import generate_files
from tests.api_server import Client
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.conftest import EACH_RELEASE, full_specs, load, make_release, takes_minutes
from tests.site_examples import PrintedExamples

#: Seconds, on a machine with other work to do.
KUBE_TIMEOUT = 1800
KUBE_FEATURES = ("client", "derive", "runtime")
PROGRAMS = Path(__file__).parent / "rust"
# The kinds that kube itself needs, as docs/targets/rust.md names them.
KUBE_KINDS = tuple(
    re.findall(
        r"--kind (\w+)",
        (Path(__file__).parents[1] / "docs/targets/rust.md")
        .read_text("utf-8")
        .partition("<!-- the kinds of kube -->")[2]
        .partition("```\n")[0],
    )
)

# Those, and what the programs use beside them.
PROGRAM_KINDS = Selection(kinds=(*KUBE_KINDS, "ConfigMap"))


def manifest(release: Release, drop_in: str) -> dict[str, Any]:
    target = load_targets(None)["rust"].with_options({"drop_in": drop_in})
    (text,) = [
        file.data.decode()
        for file in generate_files(release, target)
        if file.path == "Cargo.toml"
    ]
    return tomllib.loads(text)


def small_release(name: str) -> Release:
    text = {"type": "string"}
    definition = {"type": "object", "properties": {"name": text}}
    return replace(make_release({"io.k8s.api.core.v1.Thing": definition}), name=name)


def test_the_package_has_the_name_version_and_features_of_the_published_one() -> None:
    """Those of k8s-openapi 0.29.0, as ``cargo info`` has them."""
    cargo = manifest(small_release("1.35"), "0.29.0")
    assert cargo["package"]["name"] == "k8s-openapi"
    assert cargo["package"]["version"] == "0.29.0"
    assert cargo["package"]["links"] == "k8s-openapi-0.29.0"
    published = {f"v1_{minor}" for minor in range(33, 38)}
    features = cargo["features"]
    assert features.keys() >= {"std", "earliest", "latest", "schemars", *published}
    assert features["default"] == ["std"]
    assert features["latest"] == features["earliest"] == ["v1_35"]


@pytest.mark.parametrize(
    ("release", "drop_in"), [("1.29", "0.27.1"), ("1.38", "0.29.0"), ("1.38", "0.30.0")]
)
def test_the_release_has_a_feature_even_if_the_published_crate_has_not(
    release: str, drop_in: str
) -> None:
    features = manifest(small_release(release), drop_in)["features"]
    (feature,) = features["latest"]
    assert feature == "v" + release.replace(".", "_") and feature in features


@pytest.mark.parametrize(
    ("release", "drop_in", "message"),
    [
        (
            "1.35",
            "0.26.1",
            "'0.26.1' is not a version of k8s-openapi that the crate can",
        ),
        ("1.35", "latest", "'latest' is not a version of k8s-openapi"),
        ("1.35", '0.29.0"\n', "is not a version of k8s-openapi"),
        ("my-cluster", "0.29.0", "'my-cluster' names no version of Kubernetes"),
    ],
)
def test_what_cannot_be_replaced_is_an_error(
    release: str, drop_in: str, message: str
) -> None:
    with pytest.raises(KubestencilError, match=re.escape(message)):
        manifest(small_release(release), drop_in)


def test_examples_of_the_site_use_the_replaced_crate() -> None:
    target = load_targets(None)["site"]
    target = replace(target, dependency_options={"rust": {"drop_in": "0.29.0"}})
    name = "io.k8s.api.core.v1.ConfigMap"
    code = PrintedExamples(load("1.35"), target, name).code[name, "starter"]["rust"]
    assert code.startswith("use k8s_openapi::api::core::v1")


def write_program(folder: Path, crate: Path, dependencies: str, code: str) -> Path:
    """A program that depends on the published k8s-openapi, for which ``crate`` stands
    in."""
    write_if_changed(
        folder / "Cargo.toml",
        '[package]\nname = "drop-in"\nversion = "0.0.0"\nedition = "2021"\n'
        f"[dependencies]\n{dependencies}"
        "[profile.dev]\ndebug = false\n[workspace]\n"
        f"[patch.crates-io]\nk8s-openapi = {{ path = {json.dumps(str(crate))} }}\n",
    )
    write_if_changed(folder / "src" / "main.rs", code)
    return folder


@pytest.mark.nightly
def test_features_macros_and_metadata_are_those_of_the_published_crate(
    cargo: Cargo, tmp_path: Path
) -> None:
    crate = write_crate(small_release("1.35"), tmp_path / "crate", drop_in="0.29.0")
    program = write_program(
        tmp_path / "program",
        crate,
        'k8s-openapi = { version = "0.29", default-features = false, '
        'features = ["std", "earliest", "latest", "v1_34"] }\n',
        (PROGRAMS / "version_macros.rs").read_text("utf-8"),
    )
    (program / "build.rs").write_text((PROGRAMS / "version_build.rs").read_text())
    output = cargo(program, "run")
    assert "warning" not in output, output[:3000]
    assert "ge_1_35 is the version" in output
    if shutil.which("rustfmt"):
        cargo(crate, "fmt", "--check")


@takes_minutes
def test_kube_compiles_with_the_kinds_that_a_program_needs(
    cargo: Cargo, tmp_path: Path
) -> None:
    """With its client, runtime and derive: two minutes of processor time at first."""
    assert "Pod" in KUBE_KINDS
    selected = select(load("1.35", full_specs()), PROGRAM_KINDS)
    crate = write_crate(selected, tmp_path / "crate", drop_in="0.29.0")
    program = kube_program(tmp_path, crate, "kube.rs", *KUBE_FEATURES)
    output = cargo(program, "check", timeout=KUBE_TIMEOUT)
    assert "warning" not in output, output[:3000]


@takes_minutes
@pytest.mark.parametrize("version", EACH_RELEASE)
def test_kube_compiles_unchanged(cargo: Cargo, version: str, tmp_path: Path) -> None:
    """kube 5 with client and runtime, and with derive, whose code has a field that
    CustomResourceDefinitions got in 1.30 (selectableFields)."""
    crate = write_crate(
        load(version, full_specs()), tmp_path / "crate", drop_in="0.29.0"
    )
    features = ("client", "runtime") if version == "1.29" else KUBE_FEATURES
    program = "kube_server.rs" if version == "1.29" else "kube.rs"
    folder = kube_program(tmp_path, crate, program, *features)
    assert "warning" not in cargo(folder, "check", timeout=KUBE_TIMEOUT)


@takes_minutes
def test_kube_creates_applies_watches_and_deletes_on_a_real_server(
    cargo: Cargo, api_server: Client, tmp_path: Path
) -> None:
    selected = select(load("1.35", full_specs()), PROGRAM_KINDS)
    # One folder, so that a second run has less to build.
    folder = cargo.build / "kube-server"
    crate = write_crate(selected, folder / "crate", drop_in="0.29.0")
    features = ("client", "rustls-tls", "ring")
    program = kube_program(folder, crate, "kube_server.rs", *features)
    cargo(program, "build", timeout=KUBE_TIMEOUT)
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(api_server.kubeconfig()))
    done = subprocess.run(
        [str(cargo.build / "debug" / "drop-in")],
        env={**os.environ, "KUBECONFIG": str(config)},
        text=True,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        'applied {"a": "1", "b": "2"}',
        "listed settings",
        "absent true",
        "modified settings",
        "deleted settings",
        "default replicas Some(1)",
        "replicas Some(3)",
        "scale Some(3)",
        "true",
    ]


def kube_program(folder: Path, crate: Path, program: str, *features: str) -> Path:
    return write_program(
        folder / "program",
        crate,
        'futures = { version = "0.3", default-features = false }\n'
        'k8s-openapi = { version = "0.29", features = ["latest", "schemars"] }\n'
        'kube = { version = "5", default-features = false, '
        f"features = {json.dumps(features)} }}\n"
        'schemars = "1"\nserde = { version = "1", features = ["derive"] }\n'
        'serde_json = "1"\n'
        'tokio = { version = "1", features = ["macros", "rt-multi-thread"] }\n',
        (PROGRAMS / program).read_text("utf-8"),
    )
