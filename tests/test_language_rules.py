"""The rules of the API server in ``pydantic``, ``zod``, ``cue``, ``kcl`` and ``pkl``:
nothing that a server accepts is refused, and much of what it refuses is.

What is left is what a language cannot say in a type (relations of fields), and what no
table has. ``KUBESTENCIL_COMPILERS=all pytest -s`` prints the numbers that docs/targets/ has;
without it, slow compilers get some of the objects.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kubestencil.text.casing import identifier, snake
from tests.api_server import Client
from tests.conftest import ALL_IS_COMPILED, load
from tests.languages import (
    PKL_CATCH,
    Case,
    generated,
    kcl_value,
    kinds,
    mistaken_objects,
    pkl_object,
    public_objects,
    write,
)
from tests.packages import generate_package, import_package

_NPM = shutil.which("tsc")
# Objects in one run: with all of them, cue takes 12 GB.
_MAX_OF_CUE = 1_000
# Of the cases, unless all are asked for: each takes kcl some 0.1 s.
_EVERY = {"kcl": 10, "cue": 4, "pkl": 4}

#: The share of what a server refuses that each refuses at least: of mistakes, and of
#: public objects.
REACHED = {
    **dict.fromkeys(("pydantic", "zod", "cue"), (0.55, 0.78)),
    "kcl": (0.5, 0.7),
    "pkl": (0.55, 0.78),
}


@pytest.fixture(scope="module")
def mistaken() -> list[Case]:
    return mistaken_objects("1.35", 4_000)


@pytest.fixture(scope="module")
def public() -> list[Case]:
    return public_objects("1.35")


def refused_by_pydantic(cases: Sequence[Case], folder: Path) -> set[int]:
    pydantic = pytest.importorskip("pydantic")
    write(folder, generated("pydantic", load("1.35")))
    refused = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        for number, case in enumerate(cases):
            group, version = snake(case.definition.group), case.definition.version
            module = importlib.import_module(f"kubernetes_pydantic.{group}.{version}")
            try:
                getattr(module, case.definition.kind).model_validate(case.value)
            except pydantic.ValidationError:
                refused.add(number)
    for name in [name for name in sys.modules if name.startswith("kubernetes_pyd")]:
        del sys.modules[name]
    return refused


_PARSE = """
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
const refused = [];
const cases = JSON.parse(readFileSync(0, "utf8"));
for (const [index, [module, kind, value]] of cases.entries()) {
  const schemas = await import(`./${module}.js`);
  const result = schemas[kind].safeParse(value);
  if (!result.success) refused.push(index);
  else if (!isDeepStrictEqual(result.data, value)) throw new Error(`${index} differs`);
}
console.log(JSON.stringify(refused));
"""


def refused_by_zod(cases: Sequence[Case], folder: Path) -> set[int]:
    write(folder, {**generated("zod", load("1.35")), "parse.js": _PARSE})
    link_npm_packages(folder)
    named = [
        (case.definition.group_version.name, case.definition.kind, case.value)
        for case in cases
    ]
    done = subprocess.run(
        ["node", "parse.js"],
        cwd=folder,
        input=json.dumps(named, default=str),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def link_npm_packages(folder: Path) -> None:
    """Let modules of a folder import the packages of npm."""
    if _NPM is None:
        pytest.skip("needs tsc, and zod beside it")
    (folder / "node_modules").mkdir(exist_ok=True)
    link = folder / "node_modules/zod"
    if not link.exists():
        link.symlink_to(Path(_NPM).resolve().parents[2] / "zod")


def compile_zod(folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile all modules of a folder, which sees the packages of npm."""
    link_npm_packages(folder)
    settings = {
        "strict": True,
        "module": "nodenext",
        "target": "es2022",
        "rewriteRelativeImportExtensions": True,
        "outDir": "compiled",
    }
    text = json.dumps({"compilerOptions": settings, "include": ["**/*.ts"]})
    (folder / "tsconfig.json").write_text(text)
    return subprocess.run(
        ["tsc", "-p", "."], cwd=folder, capture_output=True, text=True
    )


def refused_by_cue(cases: Sequence[Case], folder: Path) -> set[int]:
    write(folder, generated("cue", load("1.35")))
    names = {case.definition.group_version.name for case in cases}
    aliases = {name: f"p{index}" for index, name in enumerate(sorted(names))}
    refused: set[int] = set()
    for start in range(0, len(cases), _MAX_OF_CUE):
        remaining = dict(enumerate(cases[start : start + _MAX_OF_CUE], start))
        # A field that is missing is named only where nothing else is wrong.
        while found := _vet(remaining, aliases, folder):
            refused |= found
            remaining = {
                index: case for index, case in remaining.items() if index not in found
            }
    return refused


def _vet(cases: Mapping[int, Case], aliases: dict[str, str], folder: Path) -> set[int]:
    """The cases that ``cue vet`` names."""
    # What is imported has to be used.
    used = {case.definition.group_version.name for case in cases.values()}
    imports = "".join(
        f'import {alias} "kubernetes.example/api/{name}"\n'
        for name, alias in aliases.items()
        if name in used
    )
    objects = "".join(
        f'"{index}": {aliases[case.definition.group_version.name]}.'
        f"#{case.definition.kind} & {json.dumps(case.value, default=str)}\n"
        for index, case in cases.items()
    )
    write(folder, {"objects/objects.cue": f"package objects\n{imports}{objects}"})
    done = subprocess.run(
        ["cue", "vet", "-c", "-E", "./objects"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return set(map(int, re.findall(r'^"(\d+)"', done.stderr, re.MULTILINE)))


def run_kcl(path: Path, folder: Path) -> tuple[str, str]:
    """What a KCL file prints, as JSON, and what its compiler says."""
    kcl = pytest.importorskip("kcl_lib.api")
    arguments = kcl.ExecProgramArgs(
        k_filename_list=[str(path)], work_dir=str(folder), show_hidden=True
    )
    try:
        done = kcl.API().exec_program(arguments)
    except Exception as error:  # The binding raises nothing narrower.
        return "", re.sub(r"\x1b\[[\d;]*m", "", str(error))
    return done.json_result, re.sub(r"\x1b\[[\d;]*m", "", done.err_message)


def refused_by_kcl(cases: Sequence[Case], folder: Path) -> set[int]:
    write(folder, generated("kcl", load("1.35")))
    accepted = [index for index, case in enumerate(cases) if case.is_accepted]
    # Of several mistakes in a file, the compiler may name one.
    groups = [[index] for index, case in enumerate(cases) if not case.is_accepted]
    groups += [accepted[start : start + 50] for start in range(0, len(accepted), 50)]
    refused = set()
    while groups:
        group = groups.pop()
        if _run_kcl_objects([cases[index] for index in group], folder):
            if len(group) == 1:
                refused.update(group)
            else:
                groups += [group[: len(group) // 2], group[len(group) // 2 :]]
    return refused


def _run_kcl_objects(cases: Sequence[Case], folder: Path) -> str:
    """What the compiler says of objects."""
    names = dict.fromkeys(case.definition.group_version.name for case in cases)
    aliases = {name: f"p{index}" for index, name in enumerate(names)}
    lines = [
        f"import {'.'.join(map(identifier, name.split('/')))} as {alias}"
        for name, alias in aliases.items()
    ]
    for index, case in enumerate(cases):
        schema = f"{aliases[case.definition.group_version.name]}.{case.definition.kind}"
        value = json.loads(json.dumps(case.value, default=str))
        lines.append(f"m{index} = {schema} {kcl_value(value)}")
    write(folder, {"objects.k": "\n".join(lines)})
    return run_kcl(folder / "objects.k", folder)[1]


def refused_by_pkl(cases: Sequence[Case], folder: Path) -> set[int]:
    write(folder, generated("pkl", load("1.35")))
    names = {case.definition.group_version.name for case in cases}
    aliases = {name: f"p{index}" for index, name in enumerate(sorted(names))}
    imports = (f'import "{name}.pkl" as {alias}\n' for name, alias in aliases.items())
    objects = (
        pkl_object(
            aliases[case.definition.group_version.name],
            case.definition,
            json.loads(json.dumps(case.value, default=str)),
        )
        for case in cases
    )
    lines = (
        f"m{index} = {PKL_CATCH.format(text)}\n" for index, text in enumerate(objects)
    )
    write(folder, {"objects.pkl": "".join(['import "pkl:test"\n', *imports, *lines])})
    done = subprocess.run(
        ["pkl", "eval", "-f", "json", "objects.pkl"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # Properties that are null are left out.
    said = json.loads(done.stdout)
    return {index for index in range(len(cases)) if said.get(f"m{index}")}


def _event(**changes: Any) -> Case:
    """An Event that was recorded through the core API, as API servers send it: with times
    that were never set, and without what is required of one that is created here."""
    value = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a", "creationTimestamp": None},
        "eventTime": None,
        "deprecatedFirstTimestamp": None,
        "regarding": {"kind": "ConfigMap", "name": "a"},
        "reason": "R",
    }
    definition = kinds(load("1.35"))["events.k8s.io/v1", "Event"]
    return Case({**value, **changes}, definition, not changes)


EACH = pytest.mark.parametrize(
    ("target", "refused_by"),
    [
        pytest.param("pydantic", refused_by_pydantic),
        pytest.param("zod", refused_by_zod, marks=pytest.mark.compiler("tsc", "node")),
        pytest.param("cue", refused_by_cue, marks=pytest.mark.compiler("cue")),
        pytest.param("kcl", refused_by_kcl),
        pytest.param("pkl", refused_by_pkl, marks=pytest.mark.compiler("pkl")),
    ],
)


@pytest.mark.nightly
@EACH
def test_times_that_were_never_set_are_null(
    target: str, refused_by: Callable[[Sequence[Case], Path], set[int]], tmp_path: Path
) -> None:
    cases = [_event(), _event(eventTime=["a"]), _event(regarding="a")]
    assert refused_by(cases, tmp_path) == {1, 2}, target


@pytest.mark.nightly
@EACH
def test_what_a_server_accepts_is_accepted_and_mistakes_are_found(
    target: str,
    refused_by: Callable[[Sequence[Case], Path], set[int]],
    mistaken: list[Case],
    public: list[Case],
    tmp_path: Path,
) -> None:
    if not ALL_IS_COMPILED:
        every = _EVERY.get(target, 1)
        mistaken, public = mistaken[::every], public[::every]
    cases = [*mistaken, *public]
    refused = refused_by(cases, tmp_path)
    wrong = [cases[index] for index in sorted(refused) if cases[index].is_accepted]
    assert not wrong, [case.value for case in wrong[:3]]
    start = 0
    for objects, share in zip((mistaken, public), REACHED[target], strict=True):
        mistakes = {
            index for index, case in enumerate(objects, start) if not case.is_accepted
        }
        start += len(objects)
        found = len(mistakes & refused)
        print(f"{target}: {found} of {len(mistakes)} refused")
        assert found >= share * len(mistakes)


@pytest.mark.nightly
def test_an_event_of_the_core_api_is_what_a_server_sends(
    api_server: Client, tmp_path: Path
) -> None:
    """The object of the test above is none that was made up."""
    reference = {"kind": "ConfigMap", "name": "a", "namespace": "default"}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": "a-", "namespace": "default"},
        "involvedObject": reference,
        **{"reason": "R", "message": "m", "type": "Normal"},
    }
    core = "/api/v1/namespaces/default/events"
    made = api_server.request("POST", core, json.dumps(event).encode()).body
    events = "/apis/events.k8s.io/v1/namespaces/default/events"
    path = f"{events}/{made['metadata']['name']}"
    sent = api_server.get(path)
    assert sent["eventTime"] is None and "action" not in sent
    definition = kinds(load("1.35"))["events.k8s.io/v1", "Event"]
    case = Case(sent, definition, is_accepted=True)
    assert refused_by_pydantic([case], tmp_path) == set()
    models = import_package(
        generate_package(load("1.35"), tmp_path, "sent_events"), "sent_events"
    )
    changed = models.EventsV1Event.from_dict(sent)
    changed.metadata.labels = {"seen": "yes"}
    assert api_server.request("PUT", path, changed.to_json().encode()).status == 200
