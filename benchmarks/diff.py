"""The time of ``kubestencil diff``, and that of oasdiff for the same documents.

    python benchmarks/diff.py [FROM TO] [--specs DIR] [--oasdiff PATH] [--runs N]

Every run is a new process. The start of the Python interpreter is measured, too, and
subtracted in one column. oasdiff (https://github.com/oasdiff/oasdiff, a Go program)
reads OpenAPI 3, so the documents are converted first, which is not measured. It
compares operations, which the embedded documents do not have; so it needs ``--specs``.
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

from measuring import Times, child_times, environment

#: Seconds after which a program is stopped.
TIMEOUT = 300
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
#: What a parameter has beside its schema in OpenAPI 3.0, and what its schema has.
PARAMETER_KEYS = ("name", "in", "description", "required")
SCHEMA_KEYS = ("type", "format", "uniqueItems")


def measure(command: list[str], runs: int, out: Path) -> Times:
    """The median times of a command, whose output goes to a file."""

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

    times = [child_times(run) for _ in range(runs)]
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


def measure_oasdiff(program: str, pair: list[str], specs: Path, folder: Path) -> None:
    """Print the time of oasdiff and the number of its changes."""
    files = []
    for name in pair:
        document = json.loads((specs / f"{name}.json").read_bytes())
        files.append(folder / f"{name}.openapi3.json")
        files[-1].write_text(json.dumps(convert(document)))
    out = folder / "oasdiff.json"
    command = [program, "changelog", *map(str, files), "--format", "json"]
    try:
        times = measure(command, 1, out)
    except subprocess.TimeoutExpired:
        print(f"oasdiff changelog       stopped after {TIMEOUT} s")
        return
    report = json.loads(out.read_text() or "[]")
    changes = report.get("changes", report) if isinstance(report, dict) else report
    print(
        f"oasdiff changelog       {times.elapsed:7.2f} s{'':<21}"
        f"{times.processor:5.2f} s   {len(changes)} changes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pair", nargs="*", default=["1.29", "1.35"])
    parser.add_argument(
        "--specs", type=Path, default=os.environ.get("KUBESTENCIL_SPECS")
    )
    parser.add_argument("--oasdiff", default=shutil.which("oasdiff"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = folder / "out"
        start = measure([sys.executable, "-c", "pass"], options.runs, out)
        print(f"{'':<22}  elapsed    without the start  processor")
        print(
            f"interpreter             {start.elapsed:7.2f} s{'':<21}"
            f"{start.processor:5.2f} s"
        )
        sources: list[tuple[str, list[str]]] = [("embedded", [])]
        if options.specs:
            sources.append(("full", ["--specs", str(Path(options.specs).resolve())]))
        for source, arguments in sources:
            for output_format in ("text", "html", "json"):
                command = [sys.executable, "-m", "kubestencil", "diff", *options.pair]
                command += [*arguments, "-q", "-f", output_format]
                # The first run validates the documents, which is done once.
                measure(command, 1, out)
                times = measure(command, options.runs, out)
                count = ""
                if output_format == "json":
                    count = f"   {len(json.loads(out.read_text())['changes'])} changes"
                print(
                    f"{source:<9} diff -f {output_format:<4}  {times.elapsed:7.2f} s"
                    f"   {times.elapsed - start.elapsed:14.2f} s"
                    f"  {times.processor:6.2f} s   {out.stat().st_size / 1e6:.2f} MB{count}"
                )
        if options.oasdiff and options.specs:
            measure_oasdiff(options.oasdiff, options.pair, Path(options.specs), folder)
        else:
            print("oasdiff                 needs --oasdiff and --specs")


if __name__ == "__main__":
    main()
