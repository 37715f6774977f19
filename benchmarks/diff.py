"""How long ``kubestencil diff`` takes, and what oasdiff makes of the same pair.

    python benchmarks/diff.py [FROM TO] [--specs DIR] [--oasdiff PATH] [--runs N]

Every time is of a fresh process; the interpreter's own start is measured beside it
and subtracted. oasdiff (github.com/oasdiff/oasdiff, a Go program) reads OpenAPI 3, so
the documents are converted first, which is not in its time. It compares operations:
without ``paths`` (the embedded specs have none) there is nothing for it to see, so a
folder of full documents makes the comparison, and both tools read those.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
LIMIT = 300
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


@dataclass(frozen=True)
class Time:
    """Seconds by the clock, and of a processor's work: other programs that run at
    the same time make the first longer, but not the second."""

    clock: float
    work: float


def timed(command: list[str], runs: int, out: Path) -> Time:
    """The medians of what a command takes; its output goes to a file."""
    clocks, works = [], []
    for _ in range(runs):
        with out.open("wb") as file:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            done = subprocess.run(
                command,
                stdout=file,
                stderr=subprocess.PIPE,
                timeout=LIMIT,
                env=ENVIRONMENT,
            )
            clocks.append(time.perf_counter() - start)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
        works.append(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)
        if done.returncode != 0:
            raise SystemExit(f"{command}: {done.stderr.decode()[-500:]}")
    return Time(statistics.median(clocks), statistics.median(works))


def converted(document: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI 2.0 document as OpenAPI 3.0: what Kubernetes' documents use of it."""
    text = json.dumps(document).replace("#/definitions/", "#/components/schemas/")
    document = json.loads(text)
    shared = document.get("parameters", {})

    def resolved(parameter: dict[str, Any]) -> dict[str, Any]:
        return (
            shared[parameter["$ref"].rpartition("/")[2]]
            if "$ref" in parameter
            else parameter
        )

    def plain(parameter: dict[str, Any]) -> dict[str, Any]:
        kept = ("name", "in", "description", "required")
        schema = {
            k: v for k, v in parameter.items() if k in ("type", "format", "uniqueItems")
        }
        return {k: parameter[k] for k in kept if k in parameter} | {"schema": schema}

    paths: dict[str, Any] = {}
    for path, item in document["paths"].items():
        paths[path] = {}
        own = [resolved(each) for each in item.get("parameters", ())]
        if own:
            paths[path]["parameters"] = [plain(each) for each in own]
        for method in METHODS:
            if method not in item:
                continue
            operation = item[method]
            parameters = [resolved(each) for each in operation.get("parameters", ())]
            new: dict[str, Any] = {
                "operationId": operation.get("operationId", ""),
                "parameters": [plain(p) for p in parameters if p["in"] != "body"],
                "responses": {
                    code: {"description": response.get("description", "")}
                    | (
                        {
                            "content": {
                                "application/json": {"schema": response["schema"]}
                            }
                        }
                        if "schema" in response
                        else {}
                    )
                    for code, response in operation["responses"].items()
                },
            }
            for body in (p for p in parameters if p["in"] == "body"):
                content = {"application/json": {"schema": body["schema"]}}
                new["requestBody"] = {"content": content}
            paths[path][method] = new
    return {
        "openapi": "3.0.0",
        "info": document["info"],
        "paths": paths,
        "components": {"schemas": document["definitions"]},
    }


def measure_oasdiff(program: str, pair: list[str], specs: Path, folder: Path) -> None:
    """Its number of changes, and its time, for the same documents."""
    files = []
    for name in pair:
        document = json.loads((specs / f"{name}.json").read_bytes())
        files.append(folder / f"{name}.openapi3.json")
        files[-1].write_text(json.dumps(converted(document)))
    out = folder / "oasdiff.json"
    command = [program, "changelog", *map(str, files), "--format", "json"]
    try:
        seconds = timed(command, 1, out)
    except subprocess.TimeoutExpired:
        print(f"oasdiff changelog       stopped after {LIMIT} s")
        return
    found = json.loads(out.read_text() or "[]")
    found = found.get("changes", found) if isinstance(found, dict) else found
    print(
        f"oasdiff changelog       {seconds.clock:7.2f} s{'':<21}{seconds.work:5.2f} s   {len(found)} changes"
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
    ENVIRONMENT.pop("KUBESTENCIL_SPECS", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = folder / "out"
        start = timed([sys.executable, "-c", "pass"], options.runs, out)
        print(f"{'':<22}  {'clock':>7}    over the start's    work")
        print(
            f"interpreter             {start.clock:7.2f} s{'':<21}{start.work:5.2f} s"
        )
        sources: list[tuple[str, list[str]]] = [("embedded", [])]
        if options.specs:
            sources.append(("full", ["--specs", str(Path(options.specs).resolve())]))
        for source, arguments in sources:
            for form in ("text", "html", "json"):
                command = [sys.executable, "-m", "kubestencil", "diff", *options.pair]
                command += [*arguments, "-q", "-f", form]
                # Whether a document is valid is found out once, and remembered.
                timed(command, 1, out)
                seconds = timed(command, options.runs, out)
                count = ""
                if form == "json":
                    count = f"   {len(json.loads(out.read_text())['changes'])} changes"
                print(
                    f"{source:<9} diff -f {form:<4}  {seconds.clock:7.2f} s"
                    f"   {seconds.clock - start.clock:14.2f} s"
                    f"  {seconds.work:6.2f} s   {out.stat().st_size / 1e6:.2f} MB{count}"
                )
        if options.oasdiff and options.specs:
            measure_oasdiff(options.oasdiff, options.pair, Path(options.specs), folder)
        else:
            print("oasdiff                 needs --oasdiff and --specs")


if __name__ == "__main__":
    main()
