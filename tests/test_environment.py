"""Commands where the system lacks or refuses something: one message, exit code 1, and
what was there before stays."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Command, make_document, read_files, read_output
from tests.test_check_fix import _INGRESS

if sys.platform != "linux":
    pytest.skip("uses /dev/full, /proc and limits of Linux", allow_module_level=True)

RENDER = ("render", "x", "--spec", "spec.json", "-t", "markdown", "-o")
HISTORY = ("history", "Thing", "a=spec.json", "b=other.json")
DIFF = ("diff", "spec.json", "other.json")


@pytest.fixture(autouse=True)
def documents(tmp_path: Path) -> None:
    for name, text in (("spec.json", "Größe"), ("other.json", "größer")):
        schema = {
            "type": "object",
            "description": text,
            "properties": {"size": {"type": "string"}},
        }
        document = make_document({"io.example.v1.Thing": schema})
        (tmp_path / name).write_text(json.dumps(document))


def assert_failed(done: subprocess.CompletedProcess[str], where: str) -> None:
    assert done.returncode == (2 if done.args[0] in ("check", "diff") else 1)
    assert "Traceback" not in done.stderr
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert error.startswith(f"error: {where}")


@pytest.mark.parametrize("out", ["/proc/out", "file", "file/out", "dangling", "loop"])
def test_a_place_that_cannot_be_a_folder_is_an_error(
    run: Command, tmp_path: Path, out: str
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    before = read_output(tmp_path)
    assert_failed(run(*RENDER, out), out)
    assert read_output(tmp_path) == before


@pytest.mark.parametrize("link", ["x", "x/markdown", "x/markdown/docs"])
def test_a_link_out_of_the_output_folder_is_an_error(
    run: Command, tmp_path: Path, link: str
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "out" / link).parent.mkdir(parents=True)
    (tmp_path / "out" / link).symlink_to(tmp_path / "outside")
    assert_failed(run(*RENDER, "out"), f"out/{link}: is a symbolic link")
    assert read_files(tmp_path / "outside") == {}
    assert read_output(tmp_path / "out") == {}


@pytest.mark.parametrize("link", ["out", "out/x", "out/x/markdown/docs"])
def test_a_link_within_the_output_folder_or_to_it_is_an_error(
    run: Command, tmp_path: Path, link: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / "elsewhere")
    assert_failed(run(*RENDER, "out"), f"{link}: ")
    assert read_files(tmp_path / "elsewhere") == {}


@pytest.mark.parametrize(
    "target", ["elsewhere/report", ".git/config", "mine", "report"]
)
def test_a_result_is_not_written_through_a_link(
    run: Command, tmp_path: Path, target: str
) -> None:
    """One that a stranger has in the place of a file that is often written."""
    clone = Command(tmp_path / "clone", run.environment)
    for name in ("clone/.git/config", "elsewhere/report", "clone/mine"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    target = target.replace("elsewhere", "../elsewhere")
    (clone.folder / "report").symlink_to(target)
    before = [read_output(tmp_path / name) for name in ("clone", "elsewhere")]
    arguments = [f"../{path}" if "json" in path else path for path in DIFF]
    assert_failed(clone(*arguments, "-o", "report"), "report: cannot be written")
    (clone.folder / "specs").symlink_to(target)
    assert_failed(clone("fetch", "1.35"), "specs/1.35.json: cannot be written")
    (clone.folder / "specs").unlink()
    assert [read_output(tmp_path / name) for name in ("clone", "elsewhere")] == before


def test_a_mistake_is_fixed_through_no_link_out_of_the_folder(
    run: Command, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(_INGRESS)
    clone = Command(tmp_path / "clone", run.environment)
    (clone.folder / "manifests").mkdir(parents=True)
    (clone.folder / "manifests/a.yaml").symlink_to("../../mine.yaml")
    done = clone("check", "--fix", "manifests", "--to", "1.35")
    assert "manifests/a.yaml: not fixed: it is a link" in done.stderr
    assert (tmp_path / "mine.yaml").read_text() == _INGRESS


@pytest.mark.parametrize("name", ["HOME", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("value", ["", "/nonexistent", "/proc", "spec.json", None])
def test_without_a_home_or_cache_folder_files_are_generated(
    run: Command, name: str, value: str | None
) -> None:
    run.environment.pop("XDG_CACHE_HOME")
    run.environment.pop(name, None)
    if value is not None:
        run.environment[name] = value
    done = run(*RENDER, "out", "-t", "python")
    assert done.returncode == 0, done.stderr


@pytest.mark.nightly
def test_a_c_locale_changes_no_byte(run: Command, tmp_path: Path) -> None:
    assert run(*RENDER, "utf8").returncode == 0
    report = run(*DIFF)
    run.environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert run(*RENDER, "c").returncode == 0
    assert read_output(tmp_path / "c") == read_output(tmp_path / "utf8")
    assert run(*DIFF).returncode == report.returncode == 0
    run.environment["PYTHONIOENCODING"] = "ascii"
    assert run(*DIFF).returncode == 0


def limited(count: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


@pytest.mark.nightly
def test_64_open_files_are_enough(run: Command) -> None:
    arguments = ("render", "1.34", "1.35", "-t", "markdown", "-t", "site", "-j", "2")
    done = run(*arguments, preexec_fn=limited(64))
    assert done.returncode == 0, done.stderr


def test_too_few_open_files_are_an_error(run: Command, tmp_path: Path) -> None:
    arguments = ("render", "1.34", "1.35", "-t", "typescript", "-j", "2", "-o", "out")
    assert_failed(run(*arguments, preexec_fn=limited(10)), "")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments", [DIFF, ("--help",), ("releases",), (*RENDER, "o")]
)
@pytest.mark.parametrize("to", [">/dev/full", ">&-"])
def test_a_standard_output_that_takes_nothing_is_an_error(
    run: Command, arguments: tuple[str, ...], to: str
) -> None:
    assert_failed(in_shell(run, arguments, to), "standard output: ")


def test_without_standard_error_and_input_files_are_generated(
    run: Command, tmp_path: Path
) -> None:
    done = in_shell(run, (*RENDER, "out"), "2>&- <&-")
    assert done.returncode == 0
    assert run(*RENDER, "other").returncode == 0
    assert read_output(tmp_path / "out") == read_output(tmp_path / "other")


@pytest.mark.parametrize("command", [DIFF, HISTORY])
def test_a_result_that_cannot_be_written_leaves_the_file(
    run: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    assert_failed(run(*command, "-o", "/dev/full"), "/dev/full: cannot be written: ")
    report = tmp_path / "report"
    report.write_text("earlier")

    def no_space() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    assert_failed(run(*command, "-o", "report", preexec_fn=no_space), "report: ")
    assert report.read_text() == "earlier"
    assert_failed(run(*command, "-o", "new", preexec_fn=no_space), "new: ")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("command", [("init",), ("check", "--fix", "a.yaml")])
def test_a_file_that_cannot_be_written_is_as_it_was(
    run: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text(_INGRESS)
    manifest.chmod(0o640)
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    before = read_files(tmp_path)

    def no_space() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    done = run(*command, preexec_fn=no_space)
    assert done.returncode == (2 if command[0] == "check" else 1)
    assert "cannot be written: File too large" in done.stderr
    assert read_files(tmp_path) == before
    run(*command)
    assert read_files(tmp_path) != before
    assert manifest.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.yaml").is_symlink()


INTERRUPTED_IMPORT = """
import sys
from importlib.abc import MetaPathFinder

class Interrupt(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ["render", "1.35"]
from kubestencil.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["kubestencil.cli", "kubestencil.build"])
def test_an_interrupt_while_modules_are_imported_is_no_traceback(
    run: Command, module: str
) -> None:
    program = INTERRUPTED_IMPORT.format(module=module)
    done = run_program(run, program, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (130, "interrupted")


def run_program(
    run: Command, program: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a program of Python that imports the package."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=run.environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def in_shell(
    run: Command, arguments: tuple[str, ...], redirections: str
) -> subprocess.CompletedProcess[str]:
    program = (sys.executable, "-m", "kubestencil")
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirections}', "sh", *program, *arguments],
        cwd=run.folder,
        env=run.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
