"""Validators as packages: programs that need no Go where they are used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import RELEASES, ROOT
from tests.validators import built_validator

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {restartPolicy: "no", containers: [{name: a, image: a}]}
"""


@pytest.mark.server
@pytest.mark.nightly
@pytest.mark.compiler("go")
def test_check_uses_an_installed_package(tmp_path: Path) -> None:
    folder = built_validator("1.35").parents[3]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "KUBESTENCIL_VALIDATORS": str(folder),
    }
    packer = [sys.executable, str(ROOT / ".ci/validator-packages"), "1.35.0"]
    made = subprocess.run(
        [*packer, "--out", tmp_path],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    wheel = Path(made.stdout.strip())
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (bill,) = (name for name in names if name.endswith(".cdx.json"))
        components = json.loads(archive.read(bill))["components"]
    assert wheel.stat().st_size < 25_000_000
    for component in components:
        assert any(f"/licenses/{component['name']}/" in name for name in names)
    assert {"stdlib", "k8s.io/kubernetes"} <= {entry["name"] for entry in components}

    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*pip, "--target", tmp_path / "site", wheel], check=True)
    (tmp_path / "pod.yaml").write_text(POD)
    environment |= {
        "PYTHONPATH": f"{ROOT / 'generator'}{os.pathsep}{tmp_path / 'site'}",
        "KUBESTENCIL_VALIDATORS": str(tmp_path / "cache"),
        # There is no Go.
        "PATH": "",
    }
    check = ["check", str(tmp_path / "pod.yaml"), "--to", "1.35", "--exact", "require"]
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-m", "kubestencil", *check],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 1, run.stderr
        assert "spec.restartPolicy: Unsupported value" in run.stdout
    assert len(list((tmp_path / "cache").rglob("validator"))) == 1


def test_the_container_has_the_supported_releases() -> None:
    text = (ROOT / "Containerfile").read_text()
    (command,) = re.findall(r"\$\((sed .*)\)", text)
    command = command.replace("/source/", f"{ROOT}/")
    listed = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert listed.stdout.split() == [*RELEASES]
