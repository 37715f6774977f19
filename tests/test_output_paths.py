"""Where files may be written: never where Git looks, under whatever name, and through no
link of a stranger; everywhere else, where the user says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.engine.rendering import has_rule_for
from kubestencil.errors import OutputError
from kubestencil.output_paths import check_folder, check_paths, is_path, real_path

# What names of the Git directory are made of, and what only looks like it.
_LETTERS = [
    ".", "g", "i", "t", "G", "I", "T", "~", "1", "2", " ", "\u200c", "\u200d", "\u200e",
    "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u206a", "\u206b",
    "\u206c", "\u206d", "\u206e", "\u206f", "\ufeff", ":", "\\", "/", "a",
]  # fmt: skip
_NAMES = st.one_of(
    st.lists(st.sampled_from(_LETTERS), min_size=1, max_size=8).map("".join),
    st.tuples(
        st.sampled_from(["", "a/", "\u200c", "a\\"]),
        st.sampled_from([".git", ".GIT", "git~1", ".g\u200cit", ".gi\ufefft", "GIT~1"]),
        st.lists(st.sampled_from(_LETTERS), max_size=4).map("".join),
        st.sampled_from(["", "/config", "::$INDEX_ALLOCATION", "\\x"]),
    ).map("".join),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git")
    subprocess.run(["git", "init", "-q", folder], check=True)
    for name in ("protectHFS", "protectNTFS"):
        subprocess.run(
            ["git", "-C", folder, "config", f"core.{name}", "true"], check=True
        )
    return folder


def accepted_by_git(repository: Path, names: list[str]) -> set[str]:
    """The paths that git takes into its index."""
    environment = {**os.environ, "GIT_INDEX_FILE": str(repository / "index")}
    (repository / "index").unlink(missing_ok=True)
    entries = [f"100644 {'1' * 40}\t{name}\0".encode() for name in names]
    git = ["git", "-C", str(repository)]
    subprocess.run(
        [*git, "update-index", "-z", "--index-info"],
        input=b"".join(entries),
        env=environment,
        capture_output=True,
        check=True,
    )
    listed = subprocess.check_output([*git, "ls-files", "-z"], env=environment)
    return {*listed.decode().split("\0")}


@settings(max_examples=15)
@example(
    [".git", "a/.GIT/b", "git~1", ".git. .", ".git\u200d", ".git::$INDEX_ALLOCATION"]
)
@given(st.lists(_NAMES, min_size=50, max_size=50, unique=True))
def test_no_path_is_one_that_git_refuses(repository: Path, names: list[str]) -> None:
    ours = [name for name in names if is_path(name)]
    # One by one: a file and a folder of the same name replace each other in an index.
    refused = {*ours} - accepted_by_git(repository, ours)
    for name in refused:
        assert accepted_by_git(repository, [name]) == {name, ""}, name


@pytest.mark.parametrize(
    "path",
    ["git", "a.git/x", ".gitignore", "docs/.github/x", "git~", "a/…/b", "x y/z.md"],
)
def test_other_names_are_paths(path: str) -> None:
    assert is_path(path)


def git_folder(folder: Path, *, is_worktree: bool = False) -> Path:
    for name in ("commondir",) if is_worktree else ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's repository, which is the current folder."""
    git_folder(tmp_path / "clone/.git")
    git_folder(tmp_path / "clone/bare")
    git_folder(tmp_path / "clone/linked", is_worktree=True)
    (tmp_path / "clone/sub").mkdir()
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


@pytest.mark.parametrize(
    "path",
    [
        ".git", ".git/hooks", "sub/../.git/x", "sub/.GIT", "git~1/x", "bare", "bare/x/y",
        "linked/x", "../clone/.git/x", ".git./x", ".git::$INDEX_ALLOCATION/x",
    ],
)  # fmt: skip
def test_nothing_is_written_in_a_git_directory(clone: Path, path: str) -> None:
    for output in (Path(path), clone / path):
        with pytest.raises(OutputError, match="is in a Git directory"):
            check_folder(output)


LINKS = {
    "to Git": ".git", "to a folder": "sub", "above": "..", "elsewhere": "../elsewhere",
    "to itself": "link", "to nothing": "nothing",
}  # fmt: skip


@pytest.mark.parametrize("target", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("path", ["link", "link/x", "sub/../link/x"])
def test_no_link_of_a_repository_is_followed(
    clone: Path, monkeypatch: pytest.MonkeyPatch, target: str, path: str
) -> None:
    (clone / "link").symlink_to(target)
    (clone.parent / "elsewhere").mkdir()
    for folder in (clone, clone / "sub", clone.parent, Path("/")):
        monkeypatch.chdir(folder)
        with pytest.raises(OutputError, match="symbolic link"):
            check_folder(clone / path)
        relative = os.path.relpath(clone, folder)
        with pytest.raises(OutputError, match="symbolic link"):
            real_path(Path(relative, path))


def test_links_of_the_user_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home or /tmp that is a link, above the current folder or elsewhere."""
    (tmp_path / "disk/work").mkdir(parents=True)
    (tmp_path / "home").symlink_to("disk")
    (tmp_path / "me/.git").mkdir(parents=True)
    (tmp_path / "me/work").symlink_to("../disk/work")
    (tmp_path / "me/other").symlink_to("../disk")
    monkeypatch.chdir(tmp_path / "home/work")
    for path in (Path("out"), tmp_path / "home/work/out", tmp_path / "home/other"):
        check_folder(path)
        assert real_path(path).is_relative_to(tmp_path / "disk")
    # A home that is a repository itself, with what is kept on another disk.
    check_folder(tmp_path / "me/work/out")
    (tmp_path / "disk/else").mkdir()
    monkeypatch.chdir(tmp_path / "disk/else")
    with pytest.raises(OutputError, match="below the symbolic link"):
        check_folder(tmp_path / "me/work/out")


def test_worktrees_in_a_bare_repository_have_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worktree = git_folder(tmp_path / "project.git") / "main"
    worktree.mkdir()
    (worktree / ".git").write_text("gitdir: ../worktrees/main\n")
    monkeypatch.chdir(worktree)
    check_folder(Path("generated"))
    with pytest.raises(OutputError, match="is in a Git directory"):
        check_folder(Path("../hooks"))


@pytest.mark.parametrize("make", [git_folder, lambda path: path.symlink_to(".")])
def test_below_an_output_folder_are_no_links_and_git_directories(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    (tmp_path / "a").mkdir()
    make(tmp_path / "a/b")
    check_paths(tmp_path, ["a/x", "c/d/e"])
    for path in ("a/b/x", "a/b/c/d/x"):
        with pytest.raises(OutputError, match="a/b: "):
            check_paths(tmp_path, ["a/x", path])
    with pytest.raises(OutputError, match="cannot be a generated file"):
        check_paths(tmp_path, ["a/../../x"])


@pytest.mark.parametrize(
    ("target", "path", "has_rule"),
    [
        ("markdown", "docs/V1Pod.md", True),
        ("markdown", "README.md", True),
        ("markdown", f"docs/{'é' * 100}…0123abcd", True),
        ("markdown", "HEAD", False),
        ("markdown", "docs/a/V1Pod.md", False),
        ("markdown", "docs/.x.md", False),
        ("python", "acme/k8s/models/__init__.py", True),
        ("python", "acme/k8s/main.py", False),
        ("rust", "src/api/core/v1/pod.rs", True),
        ("rust", "src/../../x.rs", False),
        ("rust", "main.rs", False),
    ],
)
def test_a_target_has_rules_for_its_files_alone(
    target: str, path: str, has_rule: bool
) -> None:
    assert has_rule_for(load_targets(None)[target], path) == has_rule
