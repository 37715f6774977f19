"""Where files may be written or removed: all that is, asks here.

A folder of output can be part of a stranger's repository, and so can what leads there:
links, names in records and in documents. Git runs what the configuration and the hooks in
its directory name, so that nothing goes there, under whatever name; other tools obey files
whose names begin with a dot.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from kubestencil import atomic
from kubestencil.errors import OutputError

#: The folder of records and staged files inside an output folder.
PRIVATE = ".kubestencil"
#: The file that makes a folder a project.
PROJECT_FILE = "kubestencil.toml"
# What the top folder of a repository or of a project has. In a linked worktree and in a
# submodule, .git is a file.
_TOP = (".git", PROJECT_FILE)
# Characters that HFS+ leaves out of names (next_hfs_char in git's utf8.c).
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]+")
# The names that git refuses (verify_path, is_ntfs_dotgit, is_hfs_dotgit), without these
# characters. NTFS has a second, short name for a file, and drops dots and blanks at the
# end.
_GIT_NAME = re.compile(r"(?:\.git|git~\d+)[. ]*(?:[:\\]|\Z)", re.IGNORECASE)
_PRIVATE_NAME = re.compile(rf"{re.escape(PRIVATE)}[. ]*(?:[:\\]|\Z)", re.IGNORECASE)
# A part of a path that every file system reads in the same way has no separator, no
# control character, and more than dots and blanks, which Windows drops.
_SEGMENT = re.compile(r"(?![. ]*\Z)[^/\\:\x00-\x1f\x7f]{1,200}\Z")
_SHORT_NAME = r"[^./~]{1,6}~\d{1,6}(?:\.[^./]{0,3})?[. ]*(?=/|\Z)"
_HIDDEN = re.compile(rf"(?:\A|/)((?:{_IGNORED.pattern})?\.[^/]*|{_SHORT_NAME})")


def _is_git_name(name: str) -> bool:
    return _GIT_NAME.match(_IGNORED.sub("", name)) is not None


def _can_be_part(name: str) -> bool:
    return (
        _SEGMENT.match(name) is not None
        and not _is_git_name(name)
        and not _PRIVATE_NAME.match(_IGNORED.sub("", name))
    )


def is_path(path: str) -> bool:
    """Whether a text can be the path of a generated file, relative to its folder."""
    return all(map(_can_be_part, path.split("/")))


def hidden_parts(path: str) -> list[str]:
    """The parts of a path that are hidden, such as ``.github`` and ``.envrc``: tools look
    for such names. The short names of NTFS can be theirs."""
    return _HIDDEN.findall(path)


def top_folder(folder: Path) -> Path | None:
    """The nearest folder, of this and those above, that is the top of a Git repository or
    of a project."""
    return next(
        (
            above
            for above in (folder, *folder.parents)
            if any(os.path.lexists(above / name) for name in _TOP)
        ),
        None,
    )


def working_folder() -> Path:
    """The top of the repository or project of the current folder, else the current
    folder: what is in it may be a stranger's."""
    return top_folder(Path.cwd()) or Path.cwd()


def real_path(path: Path) -> Path:
    """The path of a file or folder that is to be written, without links.

    Raises OutputError where that is in a Git directory, and for a link on the way to it
    that somebody else may have made: one in ``working_folder``, or in another
    repository or project, unless that leads to where the user is. Other links are the
    user's own: that of a home, or of /tmp.
    """
    current = Path(path.absolute().anchor)
    for part in path.absolute().parts[1:]:
        if part == "..":
            current = current.parent
        elif not (current / part).is_symlink():
            current /= part
        elif _is_own(current, current / part):
            # Unlike resolve, realpath takes links that lead to each other.
            current = Path(os.path.realpath(current / part))
        else:
            raise _link_error(path, current / part)
    for folder in (current, *current.parents):
        if _is_git_directory(str(folder)):
            raise _git_error(path)
        if os.path.lexists(folder / ".git"):
            break
        if _is_git_name(folder.name):
            raise _git_error(path)
    return current


def save(path: Path, data: bytes, *, mode: int | None = None, hint: str = "") -> None:
    """Write a file as ``atomic.write`` does. Raises OutputError, with a hint, where that is
    not possible, and as ``real_path`` does."""
    with atomic.writing(str(path), hint):
        atomic.write(real_path(path), data, mode=mode)


def check_folder(out: Path) -> None:
    """Raise OutputError where a folder cannot be an output folder: as ``real_path`` does,
    where it is a link itself, and where it or something above it is a file."""
    if out.is_symlink():
        raise _link_error(out, out)
    real_path(out)
    there = nearest_there(out)
    if not there.is_dir():
        raise OutputError(
            f"cannot be an output folder: {there} is no folder",
            where=str(out),
            hint="choose another folder with -o",
        )


def nearest_there(path: Path) -> Path:
    """The path, or the nearest one above it where something is."""
    places = (path, *path.parents)
    return next((above for above in places if os.path.lexists(above)), path)


def check_paths(out: Path, paths: Iterable[str]) -> None:
    """Raise OutputError where files at ``paths`` below an output folder must be neither
    written nor removed: for a name that ``is_path`` refuses, and where a folder on the
    way is a link or a Git directory."""
    folders: set[str] = set()
    for path in paths:
        if not is_path(path):
            raise OutputError("cannot be a generated file", where=f"{out / path}")
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    for folder in sorted(folders):
        location = f"{out}/{folder}"
        # Creating a Path costs more than the call.
        if os.path.islink(location):  # noqa: PTH114
            raise OutputError(
                "is a symbolic link in the output folder",
                where=f"{out / folder}",
                hint="remove it, or choose another folder with -o",
            )
        if _is_git_directory(location):
            raise _git_error(out / folder)


def _is_own(folder: Path, link: Path) -> bool:
    """Whether a link in a folder is one of the user."""
    working = working_folder()
    # In the root of the file system, all links would be another's.
    if working.name and folder.is_relative_to(working):
        return False
    target = Path(os.path.realpath(link))
    return top_folder(folder) is None or Path.cwd().is_relative_to(target)


def _is_git_directory(folder: str) -> bool:
    """Whether git takes a folder for its directory (is_git_directory in its setup.c): a
    bare repository, or the directory of a worktree."""
    return os.path.lexists(f"{folder}/HEAD") and (
        os.path.lexists(f"{folder}/commondir")
        or (os.path.lexists(f"{folder}/objects") and os.path.lexists(f"{folder}/refs"))
    )


def _link_error(path: Path, link: Path) -> OutputError:
    is_above = path.name != link.name or not path.is_symlink()
    what = (
        f"it is below the symbolic link {link}" if is_above else "it is a symbolic link"
    )
    return OutputError(
        f"cannot be written: {what}",
        where=str(path),
        hint="remove the link, or name what it leads to, if that is yours",
    )


def _git_error(path: Path) -> OutputError:
    return OutputError(
        "cannot be written: it is in a Git directory",
        where=str(path),
        hint="choose another place; Git runs what is in it",
    )
