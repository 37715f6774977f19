"""The output folder: only files that differ are written, atomically, and files of other
programs are not touched."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil import atomic
from kubestencil.build import record, tree
from kubestencil.build.record import Fingerprints, record_path
from kubestencil.build.tree import TreeChange
from kubestencil.errors import OutputError
from tests.conftest import Command, make_document, read_files, read_output
from tests.kills import end_runs

Files = dict[str, bytes]


def write(out: Path, files: Files, *, overwrite: bool = False) -> TreeChange:
    with tree.staging_folder(out) as stage:
        plan = tree.stage(
            out,
            "1.0/t",
            Fingerprints("inputs"),
            files.items(),
            stage,
            overwrite=overwrite,
        )
        tree.commit(out, plan)
    return plan


def test_only_files_that_differ_are_written(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"1", "d/b": b"2"})
    before = (tmp_path / "1.0/t/a").stat().st_mtime_ns
    plan = write(tmp_path, {"a": b"1", "d/b": b"3"})
    assert list(plan.staged) == ["d/b"]
    assert (tmp_path / "1.0/t/a").stat().st_mtime_ns == before
    assert read_output(tmp_path) == {"1.0/t/a": b"1", "1.0/t/d/b": b"3"}


def test_files_that_are_no_longer_generated_are_removed_with_their_folder(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a": b"1", "d/e/b": b"2"})
    (tmp_path / "1.0/t/theirs").write_text("not ours")
    write(tmp_path, {"a": b"1"})
    assert read_output(tmp_path) == {"1.0/t/a": b"1", "1.0/t/theirs": b"not ours"}
    assert not (tmp_path / "1.0/t/d").exists()


def test_a_file_that_was_changed_by_hand_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"1", "b": b"1"})
    (tmp_path / "1.0/t/a").write_bytes(b"by hand")
    before = read_files(tmp_path)
    with pytest.raises(OutputError, match=r"changed since:\n  a"):
        write(tmp_path, {"a": b"2", "b": b"2"})
    assert read_files(tmp_path) == before
    write(tmp_path, {"a": b"2", "b": b"2"}, overwrite=True)
    assert (tmp_path / "1.0/t/a").read_bytes() == b"2"


def test_a_file_that_was_changed_by_hand_is_not_removed(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"1", "b": b"1"})
    (tmp_path / "1.0/t/b").write_bytes(b"by hand")
    assert write(tmp_path, {"a": b"1"}).kept == ("b",)
    assert (tmp_path / "1.0/t/b").read_bytes() == b"by hand"


def test_a_file_of_another_program_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "1.0/t").mkdir(parents=True)
    (tmp_path / "1.0/t/a").write_bytes(b"theirs")
    before = read_files(tmp_path)
    with pytest.raises(OutputError):
        write(tmp_path, {"a": b"1"})
    assert read_files(tmp_path) == before
    # Nothing is lost where the bytes are the same.
    write(tmp_path, {"a": b"theirs"})


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "1.0/t/a").mkdir(parents=True)
    with pytest.raises(OutputError):
        write(tmp_path, {"a": b"1"})


def test_an_output_folder_that_is_a_link_to_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("none")
    with pytest.raises(OutputError, match="a link to what does not exist"):
        write(tmp_path / "out", {"a": b"1"})


DIGEST = hashlib.sha256(b"1").hexdigest()
DAMAGED = {
    "no mapping of files": b'{"format": 1, "files": 3}',
    "a number as pending": b'{"format": 1, "files": {}, "pending": 3}',
    "a size that is text": b'{"format": 1, "files": {"a": ["", "1", 0]}, "pending": {}}',
    "a size that is null": b'{"format": 1, "files": {"a": ["", null, 0]}, "pending": {}}',
    "a digest that is a list": b'{"format": 1, "files": {}, "pending": {"a": []}}',
    "fingerprints of another form": b'{"format": 1, "fingerprints": [[], 1], "files": {}, "pending": {}}',
    "NUL in a path": b'{"format": 1, "files": {}, "pending": {"a\\u0000": ""}}',
    "half a character in a path": b'{"format": 1, "files": {}, "pending": {"\\ud800": ""}}',
    "deep nesting": b"[" * 200_000,
    "bytes that are no text": b"\xff\xfe",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_costs_nothing(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, {"a": b"1"})
    record_path(tmp_path, "1.0/t").write_bytes(data)
    change = write(tmp_path, {"a": b"1"})
    assert change.damage == "is not a record; it counts as none"
    assert read_output(tmp_path) == {"1.0/t/a": b"1"}
    assert not write(tmp_path, {"a": b"1"}).damage


@pytest.mark.parametrize("key", ["files", "pending"])
@pytest.mark.parametrize(
    "path", ["../../../victim", "../victim", "./../../victim", "/"]
)
def test_a_record_removes_no_file_outside_of_its_tree(
    tmp_path: Path, key: str, path: str
) -> None:
    """A repository that has its output in it can have such a record."""
    out = tmp_path / "out"
    write(out, {"a": b"1"})
    victims = [tmp_path / "victim", out / "1.0/victim"]
    for victim in victims:
        victim.write_bytes(b"1")
    path = f"{tmp_path}/victim" if path == "/" else path
    file = record_path(out, "1.0/t")
    raw = json.loads(file.read_bytes())
    raw[key][path] = [DIGEST, 0, 0] if key == "files" else DIGEST
    file.write_text(json.dumps(raw))
    assert write(out, {"a": b"2"}, overwrite=True).damage
    assert [victim.read_bytes() for victim in victims] == [b"1", b"1"]


@pytest.mark.parametrize("linked", [".kubestencil", ".kubestencil/1.0"])
def test_a_linked_folder_of_records_is_an_error(
    run: Command, tmp_path: Path, linked: str
) -> None:
    (tmp_path / "s.json").write_text(many(1, ""))
    arguments = ["render", "1.0", "--spec", "s.json", "-t", "jsonnet", "-o", "out"]
    assert run(*arguments).returncode == 0
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "out" / linked).rename(elsewhere)
    (elsewhere / "x.part").write_bytes(b"1")
    (tmp_path / "out" / linked).symlink_to(elsewhere)
    before = read_files(elsewhere)
    for more in ([], ["--check"], ["--overwrite"]):
        result = run(*arguments, *more)
        assert result.returncode == 1
        assert f"{linked}: is a symbolic link" in result.stderr
    assert read_files(elsewhere) == before


@pytest.mark.parametrize("target", ["itself", "none"])
@pytest.mark.parametrize("linked", ["1.0", ".kubestencil/1.0/jsonnet.json"])
def test_a_link_to_itself_or_nothing_is_an_error(
    run: Command, tmp_path: Path, linked: str, target: str
) -> None:
    (tmp_path / "s.json").write_text(many(1, ""))
    arguments = ["render", "1.0", "--spec", "s.json", "-t", "jsonnet", "-o", "out"]
    assert run(*arguments).returncode == 0
    path = tmp_path / "out" / linked
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(path.name if target == "itself" else target)
    result = run(*arguments)
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: out/{linked}")


def test_a_document_or_report_that_is_a_link_to_itself_is_an_error(
    run: Command, tmp_path: Path
) -> None:
    (tmp_path / "a").symlink_to("a")
    (tmp_path / "s.yaml").write_text("{apiVersion: v1, kind: Pod}")
    for code, *arguments in (
        (1, "render", "--spec", "a", "-t", "jsonnet"),
        (2, "check", "s.yaml", "--to", "1.35", "--format", "json", "-o", "a"),
    ):
        result = run(*map(str, arguments))
        assert result.returncode == code
        assert result.stderr.startswith("error: a: cannot be ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this platform")
@pytest.mark.parametrize("name", ["1.0/t/a", ".kubestencil/1.0/t.json"])
@pytest.mark.parametrize("device", [None, "/dev/zero"])
def test_what_is_no_regular_file_is_not_read(
    tmp_path: Path, name: str, device: str | None
) -> None:
    write(tmp_path, {"a": b"1"})
    (tmp_path / name).unlink()
    if device:
        (tmp_path / name).symlink_to(device)
    else:
        os.mkfifo(tmp_path / name)
    recorded = record.read(tmp_path, "1.0/t")
    assert not tree.is_untouched(tmp_path, "1.0/t", recorded, read_bytes=True)
    assert bool(tree.compare(tmp_path, "1.0/t", {"a": b"1"}.items())) == (
        "/t/a" in name
    )
    if "/t/a" in name:
        with pytest.raises(OutputError, match="did not write"):
            write(tmp_path, {"a": b"2"})
    write(tmp_path, {"a": b"2"}, overwrite=True)
    assert read_output(tmp_path) == {"1.0/t/a": b"2"}


def test_a_run_without_work_removes_what_a_killed_one_left(
    run: Command, tmp_path: Path
) -> None:
    (tmp_path / "s.json").write_text(many(1, ""))
    arguments = ["render", "1.0", "--spec", "s.json", "-t", "jsonnet", "-o", "out"]
    assert run(*arguments).returncode == 0
    left_behind = tmp_path / "out/.kubestencil/.cache/staging.123"
    left_behind.mkdir()
    (left_behind / "file").write_bytes(b"1")
    assert run(*arguments).returncode == 0
    assert not left_behind.exists()


def test_a_repository_can_have_records(tmp_path: Path) -> None:
    """They are the same for everybody, with a line for each file, and stay where a file
    that somebody removed is written again. Those of earlier versions are read."""
    clones = [tmp_path / "a", tmp_path / "b"]
    for clone in clones:
        write(clone, {"b": b"1", "a": b"22"})
    texts = [record_path(clone, "1.0/t").read_text("utf-8") for clone in clones]
    assert texts[0] == texts[1]
    lines = [line for line in texts[0].splitlines() if line.startswith(('"a"', '"b"'))]
    assert [line[1] for line in lines] == ["a", "b"]
    (clones[0] / "1.0/t/a").unlink()
    write(clones[0], {"b": b"1", "a": b"22"})
    assert record_path(clones[0], "1.0/t").read_text("utf-8") == texts[0]
    cache = clones[0] / ".kubestencil" / ".cache"
    assert (cache / ".gitignore").read_text("utf-8") == "*\n"
    tracked = {path.name for path in (clones[0] / ".kubestencil").iterdir()}
    assert tracked == {".cache", "1.0"}
    raw = json.loads(texts[1])
    raw["format"] = 1
    raw["files"] = {path: [*state, 5] for path, state in raw["files"].items()}
    record_path(clones[1], "1.0/t").write_text(json.dumps(raw), "utf-8")
    write(clones[1], {"b": b"2", "a": b"22"})
    assert read_output(clones[1])["1.0/t/b"] == b"2"


def test_a_run_that_fails_leaves_a_new_folder_out(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with pytest.raises(ZeroDivisionError), tree.staging_folder(out) as stage:
        (stage / "x").write_bytes(b"1")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_repairs_a_killed_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between two renames, by a run with other files than the next."""
    write(tmp_path, {"a": b"1", "b": b"1", "c": b"1"})

    class Killed(BaseException):
        pass

    moved: list[str] = []
    replace = os.replace

    def kill(source: str, target: str) -> None:
        if moved:
            raise Killed
        moved.append(target)
        replace(source, target)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(os, "replace", kill)
        write(tmp_path, {"a": b"2", "b": b"2", "c": b"2"})
    assert len(moved) == 1
    write(tmp_path, {"a": b"3", "b": b"3"})
    assert read_output(tmp_path) == {"1.0/t/a": b"3", "1.0/t/b": b"3"}


TREE = st.dictionaries(
    st.sampled_from(["a", "b", "d/a", "d/e/c"]), st.binary(max_size=3), max_size=4
)


@settings(max_examples=30, deadline=None)
@given(runs=st.lists(TREE, min_size=1, max_size=4))
def test_after_any_runs_the_folder_holds_the_last(
    tmp_path_factory: pytest.TempPathFactory, runs: list[Files]
) -> None:
    out = tmp_path_factory.mktemp("out")
    for files in runs:
        write(out, files)
        assert read_output(out) == {f"1.0/t/{path}": files[path] for path in files}
        assert not tree.compare(out, "1.0/t", files.items())


def many(count: int, text: str) -> str:
    return json.dumps(
        make_document(
            {
                f"v1.Model{number}": {"description": text, "properties": {}}
                for number in range(count)
            }
        )
    )


@pytest.mark.nightly
def test_an_ended_run_leaves_all_files_old_or_all_new(tmp_path: Path) -> None:
    """With the real command and real signals, at moments spread over the run."""
    outcomes = list(end_runs(tmp_path, 3, 7))
    # How many are done before depends on the machine.
    assert any(outcome.ended for outcome in outcomes)


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path: Path) -> None:
    """Also where it cannot be written; temporary files of a killed run are removed."""
    path = tmp_path / "a" / "file"
    atomic.write(path, b"old")
    with pytest.raises(OSError):
        atomic.write(tmp_path / "a", b"new")
    assert path.read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a"]
    private = tmp_path / ".kubestencil" / "1.35"
    private.mkdir(parents=True)
    (private / "markdown.json.123.part").write_bytes(b"{")
    with tree.staging_folder(tmp_path):
        assert list(private.iterdir()) == []


def test_what_a_killed_writer_left_is_removed_by_a_later_one(tmp_path: Path) -> None:
    """Not at once: another process may be about to move it into its place."""
    old, new, other = (tmp_path / name for name in ("a.1.part", "a.2.part", "b.1.part"))
    for path in (old, new, other):
        path.write_bytes(b"1")
    for path in (old, other):
        os.utime(path, (0, 0))
    atomic.write(tmp_path / "a", b"2", mode=0o755)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a",
        "a.2.part",
        "b.1.part",
    ]
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755


def test_a_link_in_the_way_of_a_temporary_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"v")
    monkeypatch.setattr(os, "urandom", bytes)
    (tmp_path / f"file.{bytes(6).hex()}.part").symlink_to(victim)
    with pytest.raises(FileExistsError):
        atomic.write(tmp_path / "file", b"new")
    assert victim.read_bytes() == b"v"
    assert not (tmp_path / "file").exists()


def test_the_cache_folder_holds_digests_only(run: Command, tmp_path: Path) -> None:
    # Anybody who can write to a shared cache could otherwise choose what is executed.
    document = make_document({"io.example.v1.Thing": {"type": "object"}})
    (tmp_path / "spec.json").write_text(json.dumps(document))
    targets = ("-t", "markdown", "-t", "typescript")
    assert run("render", "x", "--spec", "spec.json", *targets).returncode == 0
    cached = read_files(tmp_path / "cache")
    assert cached
    assert set(cached.values()) == {b""}
