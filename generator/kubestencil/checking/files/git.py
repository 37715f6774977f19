"""Reads files as they are in a commit, with the user's Git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from io import BytesIO

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


def committed_files(
    revision: str, folder: str, *, is_recursive: bool
) -> Iterator[tuple[str, bytes]]:
    """The manifests in a folder as they are in a commit: paths below it, and bytes.

    Hidden files and folders and links are left out. Raises UsageError where there is no
    such commit or no repository, SourceError for a file that is larger than the limit,
    KubestencilError where Git fails or cannot be run.
    """
    digests: dict[str, bytes] = {}
    options = ["-r"] if is_recursive else []
    listing = _git(folder, "ls-tree", "-zl", *options, _commit(revision, folder))
    for line in filter(None, listing.split(b"\0")):
        description, _, name = line.partition(b"\t")
        mode, _, digest, size = description.split()
        path = os.fsdecode(name)
        is_hidden = "/." in f"/{path}"
        if mode not in _FILE_MODES or not path.endswith(SUFFIXES) or is_hidden:
            continue
        if not size.isdigit():
            raise SourceError("Git has no content of it", where=path)
        if int(size) > max_bytes():
            raise too_large(path, f"{int(size):,}")
        digests[path] = digest
    contents = BytesIO(
        _git(folder, "cat-file", "--batch", stdin=b"\n".join(digests.values()))
    )
    for path in digests:
        *_, size = contents.readline().split()
        yield path, contents.read(int(size))
        contents.read(1)


def _commit(revision: str, folder: str) -> str:
    """The digest of a commit. Only this is given to other commands, so that nobody's
    text can be an option of theirs."""
    failure = f"{revision!r} is no commit of the repository"
    wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    if not revision or revision.startswith("-"):
        raise UsageError(failure, where="--since")
    try:
        found = _git(folder, *wanted, f"{revision}^{{commit}}", failure=failure)
    except KubestencilError as error:
        raise UsageError(error.what, where="--since", hint=error.hint) from error
    # Versions of Git before 2.30 repeat --end-of-options.
    return found.decode().split()[-1]


def _git(
    folder: str, *arguments: str, stdin: bytes = b"", failure: str = "failed"
) -> bytes:
    """What Git prints; ``failure`` is its error where it says none."""
    try:
        run = subprocess.run(
            ["git", "-C", os.path.abspath(folder), *arguments],  # noqa: PTH100
            input=stdin,
            capture_output=True,
            env={**os.environ, **_ENVIRONMENT},
        )
    except OSError as error:
        hint = "install Git, or use --old DIR"
        raise KubestencilError("cannot be run", where="git", hint=hint) from error
    if run.returncode:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines() or [failure]
        raise KubestencilError(lines[-1].removeprefix("fatal: "), where="git")
    return run.stdout
