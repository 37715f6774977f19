"""The time and memory of ``kubestencil check``, beside kubeconform and pluto.

    python -m benchmarks.check FOLDER [--from 1.29] [--to 1.35] [--file FILE] [--runs N]
        [--kubeconform PATH] [--pluto PATH]

All programs read the same folder of manifests, in turns, each in a new process.
kubestencil checks against two releases, kubeconform (https://github.com/yannh/kubeconform)
validates against one, pluto (https://github.com/FairwindsOps/pluto) looks at apiVersions
only. kubeconform gets JSON Schemas of ``--to`` without references, as it downloads them
by default; making them is not measured. ``--file`` is measured by itself, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, Times, child_times, environment

sys.path.insert(0, str(ROOT / "generator"))
#: The exit codes of programs that have done their work: findings are no failure.
DONE = frozenset({0, 1, 2, 3, 4})


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        schemas = Path(temporary)
        commands = {"kubestencil": _kubestencil(options, options.folder)}
        if options.file:
            commands["kubestencil, one file"] = _kubestencil(options, options.file)
        if options.kubeconform:
            write_schemas(options.after, schemas)
            location = f"{schemas}/{{{{ .ResourceKind }}}}{{{{ .KindSuffix }}}}.json"
            commands["kubeconform"] = [
                *(
                    options.kubeconform,
                    "-strict",
                    "-summary",
                    "-ignore-missing-schemas",
                ),
                *("-schema-location", location, options.folder),
            ]
        if options.pluto:
            commands["pluto"] = [
                *(options.pluto, "detect-files", "-d", options.folder),
                *("--target-versions", f"k8s=v{options.after}.0", "-o", "json"),
            ]
        _measure(commands, options.runs)


def _measure(commands: Mapping[str, Sequence[str]], runs: int) -> None:
    times: dict[str, list[Times]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(child_times(partial(run, command)))
    for name, measured in times.items():
        elapsed = min(time.elapsed for time in measured)
        processor = min(time.processor for time in measured)
        print(f"{name:24} {processor:7.2f} s CPU {elapsed:7.2f} s elapsed")
    # The largest child so far: kubestencil alone, in a process of its own.
    memory = _peak_memory(commands["kubestencil"])
    print(f"{'kubestencil':24} {memory:7.0f} MB at most")


def run(command: Sequence[str]) -> None:
    """Run a program; its output is dropped."""
    process = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    )
    if process.returncode not in DONE:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")


def _peak_memory(command: Sequence[str]) -> float:
    """The peak memory of a program, in MB."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    output = subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True,
        check=True,
        env=environment(),
    ).stdout
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return int(output) / unit


def write_schemas(release: str, folder: Path) -> None:
    """Write a JSON Schema without references for each kind of a release."""
    from kubestencil.source import locate

    definitions = locate(release, None).document()["definitions"]
    for name, definition in definitions.items():
        kinds = definition.get("x-kubernetes-group-version-kind", ())
        if len(kinds) == 1:
            kind = kinds[0]
            parts = (kind["group"].partition(".")[0], kind["version"])
            file = "-".join(filter(None, (kind["kind"].lower(), *parts)))
            schema = _standalone({"$ref": f"/{name}"}, definitions, frozenset())
            (folder / f"{file}.json").write_text(json.dumps(schema))


def _standalone(
    schema: Any, definitions: Mapping[str, Any], above: frozenset[str]
) -> Any:
    """A schema with the definitions in place of references to them. Fields of a
    definition that holds itself are left open."""
    if isinstance(schema, list):
        return [_standalone(item, definitions, above) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name in above:
            return {}
        if name.endswith((".IntOrString", ".Quantity")):
            return {"type": ["string", "number", "null"]}
        return _standalone(definitions[name], definitions, above | {name})
    result = {
        key: _standalone(value, definitions, above) for key, value in schema.items()
    }
    if isinstance(result.get("properties"), dict) and "type" in result:
        result["additionalProperties"] = False
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
    return result


def _kubestencil(options: argparse.Namespace, path: str) -> list[str]:
    return [
        *(sys.executable, "-m", "kubestencil", "check", path, "-q"),
        *("--from", options.before, "--to", options.after),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--from", dest="before", default="1.29")
    parser.add_argument("--to", dest="after", default="1.35")
    parser.add_argument("--file")
    parser.add_argument("--runs", type=int, default=3)
    for program in ("kubeconform", "pluto"):
        parser.add_argument(f"--{program}", default=shutil.which(program))
    return parser.parse_args()


if __name__ == "__main__":
    main()
