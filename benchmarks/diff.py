"""The time of ``kubestencil diff``, and that of oasdiff for the same documents.

    python -m benchmarks.diff [FROM TO] [--specs DIR] [--oasdiff PATH] [--runs N]

Every run is a new process. oasdiff (https://github.com/oasdiff/oasdiff, a Go program)
reads OpenAPI 3, so the documents are converted first, which is not measured. It
compares operations, which the embedded documents do not have; so it needs ``--specs``.
The programs are run in turns, and the last column has the ratio of their processor
times: other work on the machine makes all of them slower.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring import Times, child_times, environment

#: Seconds after which a program is stopped.
TIMEOUT = 300
OASDIFF = "oasdiff changelog"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
#: What a parameter has beside its schema in OpenAPI 3.0, and what its schema has.
PARAMETER_KEYS = ("name", "in", "description", "required")
SCHEMA_KEYS = ("type", "format", "uniqueItems")


def measure(command: list[str], out: Path) -> Times:
    """The times of a command, whose output goes to a file."""

    def run() -> None:
        with out.open("wb") as file:
            process = subprocess.run(
                command,
                stdout=file,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT,
                env=environment(),
            )
        if process.returncode != 0:
            raise SystemExit(f"{command}: {process.stderr.decode()[-500:]}")

    return child_times(run)


def median(times: list[Times]) -> Times:
    return Times(
        statistics.median(time.elapsed for time in times),
        statistics.median(time.processor for time in times),
    )


def convert(document: dict[str, Any]) -> dict[str, Any]:
    """Convert a Kubernetes document from OpenAPI 2.0 to 3.0."""
    text = json.dumps(document).replace("#/definitions/", "#/components/schemas/")
    document = json.loads(text)
    shared = document.get("parameters", {})
    return {
        "openapi": "3.0.0",
        "info": document["info"],
        "paths": {
            path: _convert_path(item, shared)
            for path, item in document["paths"].items()
        },
        "components": {"schemas": document["definitions"]},
    }


def _convert_path(item: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    converted: dict[str, Any] = {
        method: _convert_operation(item[method], shared)
        for method in METHODS
        if method in item
    }
    if item.get("parameters"):
        parameters = (_resolve(value, shared) for value in item["parameters"])
        converted["parameters"] = [_convert_parameter(value) for value in parameters]
    return converted


def _convert_operation(
    operation: dict[str, Any], shared: dict[str, Any]
) -> dict[str, Any]:
    parameters = [_resolve(value, shared) for value in operation.get("parameters", ())]
    converted: dict[str, Any] = {
        "operationId": operation.get("operationId", ""),
        "parameters": [
            _convert_parameter(value) for value in parameters if value["in"] != "body"
        ],
        "responses": {
            code: {"description": response.get("description", "")} | _content(response)
            for code, response in operation["responses"].items()
        },
    }
    for body in (value for value in parameters if value["in"] == "body"):
        converted["requestBody"] = _content(body)
    return converted


def _resolve(parameter: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in parameter:
        resolved: dict[str, Any] = shared[parameter["$ref"].rpartition("/")[2]]
        return resolved
    return parameter


def _convert_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = {key: parameter[key] for key in SCHEMA_KEYS if key in parameter}
    converted = {key: parameter[key] for key in PARAMETER_KEYS if key in parameter}
    return converted | {"schema": schema}


def _content(value: dict[str, Any]) -> dict[str, Any]:
    if "schema" not in value:
        return {}
    return {"content": {"application/json": {"schema": value["schema"]}}}


def oasdiff_command(
    program: str, pair: list[str], specs: Path, folder: Path
) -> list[str]:
    """The command that compares the converted documents."""
    files = []
    for name in pair:
        document = json.loads((specs / f"{name}.json").read_bytes())
        files.append(folder / f"{name}.openapi3.json")
        files[-1].write_text(json.dumps(convert(document)))
    return [program, "changelog", *map(str, files), "--format", "json"]


def print_times(label: str, times: Times, reference: Times | None, size: int) -> None:
    ratio = "" if reference is None else f"{reference.processor / times.processor:5.1f}"
    print(
        f"{label:24} {times.elapsed:7.2f} s  {times.processor:9.2f} s"
        f"  {size / 1e6:7.2f} MB  {ratio}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pair", nargs="*", default=["1.29", "1.35"])
    parser.add_argument(
        "--specs", type=Path, default=os.environ.get("KUBESTENCIL_SPECS")
    )
    parser.add_argument("--oasdiff", default=shutil.which("oasdiff"))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources: list[tuple[str, list[str]]] = [("embedded", [])]
        if options.specs:
            sources.append(("full", ["--spec-dir", str(Path(options.specs).resolve())]))
        commands = {"interpreter": [sys.executable, "-c", "pass"]}
        for source, arguments in sources:
            for output_format in ("json", "text", "markdown", "html"):
                command = [sys.executable, "-m", "kubestencil", "diff", *options.pair]
                command += [*arguments, "-q", "-f", output_format]
                commands[f"{source} -f {output_format}"] = command
        # The first run validates the documents, which is done once.
        for label, command in commands.items():
            measure(command, folder / label)
        if options.oasdiff and options.specs:
            commands[OASDIFF] = oasdiff_command(
                options.oasdiff, options.pair, Path(options.specs), folder
            )
        else:
            print("oasdiff needs --oasdiff and --specs")
        times: dict[str, list[Times]] = {label: [] for label in commands}
        for _ in range(options.runs):
            for label, command in commands.items():
                times[label].append(measure(command, folder / label))
        reference = median(times[OASDIFF]) if OASDIFF in times else None
        print(
            f"{'':24} {'elapsed':>9}  {'processor':>11}  {'output':>10}  times as fast"
        )
        for label, of_command in times.items():
            size = (folder / label).stat().st_size
            print_times(label, median(of_command), reference, size)


if __name__ == "__main__":
    main()
