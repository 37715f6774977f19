"""The tools that publish packages accept those that are generated."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubestencil.cli import cli
from kubestencil.engine import load_targets
from kubestencil.targets import generate_files
from tests.cargo import Cargo, write_crate
from tests.conftest import ALL_IS_COMPILED, load, takes_minutes

HOMEPAGE = 'https://git.example.com/"acme"'


#: The oldest release, a middle one, and the one before the newest.
INSTALLED = ["1.29", "1.32", "1.36"]
READ = """
import sys
sys.path.insert(0, sys.argv[1])
import kubernetes_models, kubernetes_typed_client
from kubernetes_typed_client import Client, Config, CoreV1Api
for package in (kubernetes_models, kubernetes_typed_client):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
    for name in package.__all__:
        getattr(package, name)
core = CoreV1Api(Client(Config(server="http://localhost")))
pod = kubernetes_models.V1Pod(metadata=kubernetes_models.V1ObjectMeta(name="a"))
print(core.create_namespaced_pod.call("default", pod).body.decode())
"""
WRITE = """\
import type { Pod } from "kubernetes-api-types/core/v1";
import type { appsV1 } from "kubernetes-api-types";

export const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: [{ name: "a", image: "b" }] },
};
export const replicas = (deployment: appsV1.Deployment) => deployment.spec?.replicas;
"""
PROJECT = "kubernetes-types"
USE = """\
fn main() {
    let pod = kubernetes_types::api::core::v1::Pod::default();
    println!("{}", serde_json::to_value(&pod).unwrap()["apiVersion"]);
}
"""


def write_package(folder: Path, name: str, release: str = "1.35") -> Path:
    """The package of a target, with a homepage that has to be quoted."""
    target = load_targets(None)[name].with_options({"url": HOMEPAGE})
    for file in generate_files(load(release), target):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


def output_of(*command: str, folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("release", INSTALLED)
def test_the_python_packages_are_built_and_installed(
    tmp_path: Path, release: str
) -> None:
    """Both, from their wheels, into an empty folder; every name is imported."""
    for tool in ("build", "hatchling", "httpcore2", "wsproto"):
        pytest.importorskip(tool, reason=f"{tool} is not installed")
    installed = tmp_path / "installed"
    for name in ("python", "python-client"):
        folder = write_package(tmp_path / name, name, release)
        build = (sys.executable, "-m", "build", "--no-isolation", "--wheel")
        output_of(*build, folder=folder)
        (wheel,) = (folder / "dist").glob(f"*-{release}.0-*.whl")
        options = ("--no-deps", "--no-index", "--target", str(installed))
        output_of(
            sys.executable, "-m", "pip", "install", *options, str(wheel), folder=folder
        )
    metadata = next(installed.glob("kubernetes_typed_client-*/METADATA")).read_text()
    assert f"Requires-Dist: kubernetes-models=={release}.0" in metadata
    output = output_of(sys.executable, "-c", READ, str(installed), folder=tmp_path)
    assert json.loads(output)["metadata"] == {"name": "a"}


@pytest.mark.nightly
@pytest.mark.compiler("tsc")
@pytest.mark.compiler("npm")
@pytest.mark.parametrize("release", INSTALLED)
def test_npm_installs_the_types(tmp_path: Path, release: str) -> None:
    """From what npm packs, into an empty folder in which a program is compiled."""
    folder = write_package(tmp_path / "types", "typescript", release)
    (packed,) = json.loads(output_of("npm", "pack", "--json", folder=folder))
    user = tmp_path / "user"
    user.mkdir()
    (user / "package.json").write_text('{"name": "user", "private": true}')
    (user / "program.ts").write_text(WRITE)
    package = str(folder / packed["filename"])
    options = ("--offline", "--no-audit", "--no-fund", package)
    output_of("npm", "install", *options, folder=user)
    strict = ("--strict", "--noEmit", "--module", "nodenext", "program.ts")
    output_of("tsc", *strict, folder=user)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "module"),
    [("python", "kubernetes_models"), ("python-client", "kubernetes_typed_client")],
)
def test_build_and_twine_accept_the_python_packages(
    tmp_path: Path, name: str, module: str
) -> None:
    """Also where .gitignore names the folder, as those of most projects do."""
    for tool in ("build", "hatchling", "twine"):
        pytest.importorskip(tool, reason=f"{tool} is not installed")
    folder = write_package(tmp_path / "generated", name)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("generated/\n")
    output_of(sys.executable, "-m", "build", "--no-isolation", folder=folder)
    files = [str(path) for path in (folder / "dist").iterdir()]
    assert len(files) == 2
    output_of(sys.executable, "-m", "twine", "check", "--strict", *files, folder=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = (path for path in names if path.endswith("/METADATA"))
        metadata = message_from_bytes(archive.read(path))
    assert metadata["Version"] == "1.35.0"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Project-URL"] == f"Homepage, {HOMEPAGE}"
    assert f"{module}/py.typed" in names
    (source,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(source) as package:
        sources = {
            Path(path).relative_to(source.name[:-7]) for path in package.getnames()
        }
    assert {Path("LICENSE"), Path(module, "__init__.py")} <= sources


@pytest.mark.compiler("npm")
def test_npm_packs_the_types_with_their_licence(tmp_path: Path) -> None:
    folder = write_package(tmp_path, "typescript")
    (package,) = json.loads(
        output_of("npm", "pack", "--dry-run", "--json", folder=folder)
    )
    assert package["version"] == "1.35.0"
    packed = {file["path"] for file in package["files"]}
    generated = (path for path in folder.rglob("*") if path.is_file())
    assert packed == {path.relative_to(folder).as_posix() for path in generated}
    assert "LICENSE" in packed
    assert json.loads((folder / "package.json").read_text())["homepage"] == HOMEPAGE


@pytest.mark.compiler("publint")
def test_publint_finds_nothing_in_the_package(tmp_path: Path) -> None:
    """publint reads what bundlers and Node.js find of a package: exports and formats."""
    folder = write_package(tmp_path, "typescript")
    output = output_of("publint", "--strict", "--pack", "npm", folder=folder)
    assert "All good!" in output


@takes_minutes
@pytest.mark.nightly
@pytest.mark.compiler("cargo")
@pytest.mark.parametrize("release", INSTALLED if ALL_IS_COMPILED else INSTALLED[-1:])
def test_cargo_packages_the_crate(cargo: Cargo, tmp_path: Path, release: str) -> None:
    """cargo warns of a manifest that lacks what the registry shows. A program is built
    with what is packed."""
    folder = write_crate(load(release), tmp_path / "crate", url=HOMEPAGE)
    packing = Cargo(tmp_path / "target")
    output = packing(folder, "package", "--no-verify", "--allow-dirty")
    assert "warning" not in output
    (crate,) = (tmp_path / "target" / "package").glob(f"*-{release}.0.crate")
    with tarfile.open(crate) as package:
        assert f"{crate.stem}/LICENSE" in package.getnames()
        package.extractall(tmp_path, filter="data")
    user = tmp_path / "user"
    (user / "src").mkdir(parents=True)
    dependency = f'{PROJECT} = {{ path = "../{crate.stem}" }}'
    (user / "Cargo.toml").write_text(
        '[package]\nname = "user"\nversion = "0.0.0"\nedition = "2021"\n\n'
        f'[dependencies]\n{dependency}\nserde_json = "1"\n'
    )
    (user / "src" / "main.rs").write_text(USE)
    assert cargo(user, "run", "--quiet").strip() == '"v1"'


def test_packages_have_a_changelog_from_a_report(tmp_path: Path) -> None:
    """``kubestencil diff`` writes it into a generated folder, in which it stays."""
    for tool in ("build", "hatchling"):
        pytest.importorskip(tool, reason=f"{tool} is not installed")
    run = CliRunner()
    render = ["render", "1.35", "-q", "-o", str(tmp_path), "-t", "python"]
    assert run.invoke(cli, render).exit_code == 0
    folder = tmp_path / "1.35" / "python"
    changelog = folder / "CHANGELOG.md"
    diff = ["diff", "1.34", "1.35", "-o", str(changelog)]
    assert run.invoke(cli, diff).exit_code == 0
    text = changelog.read_text()
    assert "1.34" in text.splitlines()[0]
    assert run.invoke(cli, [*render, "--check"]).exit_code == 0
    assert run.invoke(cli, [*render, "--prune"]).exit_code == 0
    build = (sys.executable, "-m", "build", "--no-isolation", "--sdist")
    output_of(*build, folder=folder)
    (source,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(source) as package:
        packed = package.extractfile(f"{source.name[:-7]}/CHANGELOG.md")
        assert packed and packed.read().decode() == text
