"""Reads files as they are in a commit, with the user's Git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubestencil.errors import KubestencilError, SourceError, UsageError
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.limits import max_bytes, too_large

# Of a repository that has not all of its objects, Git would download what is missing, by
# a command that its configuration can name.
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
}
_FILE_MODES = (b"100644", b"100755")


class _GitFile(NamedTuple):
    path: str
    digest: bytes


def committed_files(
    revision: str, folder: str, *, is_recursive: bool
) -> Iterator[tuple[str, bytes]]:
    """The manifests in a folder as they are in a commit: paths below it, and bytes.

    Hidden files and folders and links are left out. Raises UsageError where there is no
    such commit or no repository, SourceError for a file that is larger than the limit,
    KubestencilError where Git cannot be run.
    """
    commit = _commit(revision, folder)
    listing = ["ls-tree", "-z", *(["-r"] if is_recursive else []), commit]
    run = _git(folder, listing)
    if run.returncode:
        raise KubestencilError(_message(run.stderr), where="git ls-tree")
    yield from _contents(folder, _entries(run.stdout))


def _commit(revision: str, folder: str) -> str:
    """The digest of a commit. Only this is given to other commands, so that nobody's
    text can be an option of theirs."""
    wanted = ["rev-parse", "--verify", "--quiet", "--end-of-options"]
    if revision and not revision.startswith("-"):
        run = _git(folder, [*wanted, f"{revision}^{{commit}}"])
        if not run.returncode:
            # Versions of Git before 2.30 repeat --end-of-options.
            return run.stdout.decode().split()[-1]
        if run.stderr:
            raise UsageError(_message(run.stderr), where="--since")
    raise UsageError(f"{revision!r} is no commit of the repository", where="--since")


def _entries(listing: bytes) -> Iterator[_GitFile]:
    for line in filter(None, listing.split(b"\0")):
        description, _, name = line.partition(b"\t")
        mode, _, digest = description.split(b" ")
        path = os.fsdecode(name)
        is_hidden = path.startswith(".") or "/." in path
        if mode in _FILE_MODES and path.endswith(SUFFIXES) and not is_hidden:
            yield _GitFile(path, digest)


def _contents(folder: str, entries: Iterable[_GitFile]) -> Iterator[tuple[str, bytes]]:
    with subprocess.Popen(
        _command(folder, ["cat-file", "--batch"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_ENVIRONMENT},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for path, digest in entries:
            process.stdin.write(digest + b"\n")
            process.stdin.flush()
            *_, size = process.stdout.readline().split()
            if not size.isdigit():
                raise SourceError("Git has no content of it", where=path)
            if int(size) > max_bytes():
                process.kill()
                raise too_large(path, f"{int(size):,}")
            yield path, process.stdout.read(int(size))
            process.stdout.read(1)


def _git(folder: str, arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            _command(folder, arguments),
            capture_output=True,
            env={**os.environ, **_ENVIRONMENT},
        )
    except OSError as error:
        raise KubestencilError(
            "cannot be run", where="git", hint="install Git, or use --old DIR"
        ) from error


def _message(stderr: bytes) -> str:
    """The last line of what Git says of an error, without its prefix."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines() or ["failed"]
    return lines[-1].removeprefix("fatal: ")


def _command(folder: str, arguments: list[str]) -> list[str]:
    return ["git", "-C", os.path.abspath(folder), *arguments]  # noqa: PTH100
