"""Times of generating Python from CustomResourceDefinitions, beside datamodel-code-generator
and cdk8s, in one run.

    python -m benchmarks.python_crds CRDS [PEERS]

CRDS is a file or folder of CustomResourceDefinitions. PEERS is a folder for the other
generators, which pip and npm install there if they are missing; cdk8s is left out where
there is no npm. Times are CPU times of a command and its child processes, the best of
three, and of one run for those that take longer than a minute. cdk8s refuses keys such
as ``$ref`` and fields such as ``getConcurrency``: what it refuses is left out for cdk8s
only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, child_times, environment, row

sys.path.insert(0, str(ROOT / "generator"))

from kubestencil.source.crds import read_crd_files, read_objects

_LONG = 60
_CDK8S_KEY = re.compile(r"(?!get[A-Z])[\w./#,-]*", re.ASCII)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    crds, peers = read_arguments(sys.argv[1:])
    merged = peers / "crds.json"
    merged.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": crds}))
    print(f"Python {sys.version.split()[0]}, {len(crds)} CustomResourceDefinitions")
    own = best(lambda out: kubestencil(merged, out))
    print(row("kubestencil", own, own))
    schemas = peers / "openapi.json"
    schemas.write_text(json.dumps(openapi(crds)))
    home = install_datamodel(peers)
    times: dict[str, float] = {}

    def measure(name: str, run: Callable[[Path], None]) -> None:
        times[name] = best(run)
        print(row(name, times[name], own), flush=True)

    measure("datamodel-code-generator", lambda out: datamodel(home, schemas, out))
    cdk8s = install_cdk8s(peers)
    if cdk8s:
        separate = peers / "crds.yaml"
        print(f"cdk8s refuses {len(crds) - write_accepted(crds, separate)}")
        measure("cdk8s import", lambda out: run_cdk8s(cdk8s, separate, out, "python"))
    fastest = min(times, key=lambda name: times[name])
    print(f"{times[fastest] / own:.1f} times as fast as {fastest}")


def read_arguments(arguments: list[str]) -> tuple[list[dict[str, Any]], Path]:
    """The CustomResourceDefinitions in CRDS, and the folder PEERS, which is made."""
    source, *folders = arguments
    peers = Path(folders[0] if folders else tempfile.mkdtemp()).absolute()
    peers.mkdir(parents=True, exist_ok=True)
    return list(crd_objects(Path(source).absolute())), peers


def write_accepted(crds: list[dict[str, Any]], file: Path) -> int:
    """Write the CustomResourceDefinitions that cdk8s accepts; returns their number."""
    accepted = [crd for crd in crds if has_plain_keys(crd)]
    # JSON documents are YAML.
    file.write_text("".join(f"---\n{json.dumps(crd)}\n" for crd in accepted))
    return len(accepted)


def crd_objects(source: Path) -> Iterator[dict[str, Any]]:
    """The CustomResourceDefinitions in a file or folder."""
    for file in read_crd_files(str(source)):
        for crd in read_objects(file)[0]:
            # cdk8s refuses the keys of managedFields, which a cluster adds.
            name = crd.value["metadata"]["name"]
            yield {**crd.value, "metadata": {"name": name}}


def has_plain_keys(value: Any) -> bool:
    """Whether cdk8s accepts the keys of a JSON value: its own rule (cdk8s-cli,
    src/reviver.ts), and that of jsii, for which ``get…`` is a method of Java."""
    if isinstance(value, list):
        return all(map(has_plain_keys, value))
    if isinstance(value, dict):
        return all(map(_CDK8S_KEY.fullmatch, value)) and has_plain_keys(
            list(value.values())
        )
    return True


def openapi(crds: list[dict[str, Any]]) -> dict[str, Any]:
    """The schemas of the versions as an OpenAPI 3.0 document: datamodel-code-generator
    reads no CustomResourceDefinitions."""
    schemas = {}
    for crd in crds:
        spec = crd["spec"]
        group = "".join(part.title() for part in spec["group"].split("."))
        for version in spec["versions"]:
            schema = version.get("schema", {}).get("openAPIV3Schema", {})
            name = f"{group}{version['name'].title()}{spec['names']['kind']}"
            if version["served"]:
                schemas["".join(filter(str.isalnum, name))] = schema
    info = {"title": "crds", "version": "1"}
    return {
        "openapi": "3.0.0",
        "info": info,
        "paths": {},
        "components": {"schemas": schemas},
    }


def best(run: Callable[[Path], None], files: str = "*.py") -> float:
    """The least CPU seconds of a command that writes such files into an empty folder."""
    seconds: list[float] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            seconds.append(child_times(partial(run, out)).processor)
            if not any(out.rglob(files)):
                sys.exit("a generator wrote nothing")
        if seconds[-1] > _LONG:
            break
    return min(seconds)


def kubestencil(crds: Path, out: Path, target: str = "python") -> None:
    command = [sys.executable, "-m", "kubestencil", "render", "--crds", str(crds)]
    subprocess.run(
        [*command, "-t", target, "-q", "-j", "1", "-o", str(out)],
        env=environment(),
        check=True,
    )


def install_datamodel(peers: Path) -> Path:
    home = peers / "datamodel-code-generator"
    if not home.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-warn-conflicts"]
        requirement = "datamodel-code-generator"
        subprocess.run([*pip, "--target", str(home), requirement], check=True)
    return home


def datamodel(home: Path, schemas: Path, out: Path) -> None:
    command = [sys.executable, "-m", "datamodel_code_generator"]
    options = ["--input", str(schemas), "--input-file-type", "openapi"]
    style = ["--output-model-type", "msgspec.Struct", "--disable-warnings"]
    subprocess.run(
        [*command, *options, *style, "--output", str(out / "models.py")],
        env={**os.environ, "PYTHONPATH": str(home)},
        check=True,
    )


def install_cdk8s(peers: Path) -> Path | None:
    """The command cdk8s, None where it cannot be installed."""
    if shutil.which("npm") is None:
        return None
    command = peers / "npm" / "node_modules" / ".bin" / "cdk8s"
    if not command.exists():
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix"]
        subprocess.run([*npm, str(peers / "npm"), "cdk8s-cli", "cdk8s"], check=True)
    return command


def run_cdk8s(command: Path, crds: Path, out: Path, language: str) -> None:
    subprocess.run(
        [str(command), "import", str(crds), "--language", language, "--output", "."],
        cwd=out,
        env={**os.environ, "CDK8S_DISABLE_ANALYTICS": "1", "CHECKPOINT_DISABLE": "1"},
        stdout=subprocess.DEVNULL,
        check=True,
    )


if __name__ == "__main__":
    main()
