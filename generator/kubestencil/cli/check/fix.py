"""kubestencil check --fix: plans the new texts of all files before it writes the first."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from kubestencil import atomic, regular_file
from kubestencil.checking.files.find import ManifestFile, find_files
from kubestencil.checking.fixing import FixedText, fixed_text
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli import console
from kubestencil.errors import UsageError
from kubestencil.output_paths import real_path
from kubestencil.source.limits import max_bytes

# https://go.dev/s/generatedcode, also as a comment of YAML.
_GENERATED = re.compile(r"^(?:#|//) Code generated .* DO NOT EDIT\.?\r?$", re.MULTILINE)


class _Plan(NamedTuple):
    """A file with what it has, and what it is to have."""

    file: ManifestFile
    before: str
    result: FixedText


def fix_files(
    paths: Sequence[str],
    upgrade: Upgrade,
    ignored: Collection[tuple[str, ...]],
    *,
    dry_run: bool,
) -> None:
    """Write the files with the fixes that are sure, or show the difference; findings whose
    keys are ``ignored`` are not fixed.

    Raises UsageError where a path is no file that can be written, SourceError for what
    cannot be read, OutputError where ``real_path`` does, in all cases before any file is
    written, and OutputError for a file that cannot be written: those before it are.
    """
    for file, before, result in list(_plans(paths, upgrade, ignored)):
        reason = ""
        if result.fixes and dry_run:
            click.echo(result.diff(before, file.name), nl=False)
        elif result.fixes:
            reason = _write(file, before, result.text)
        if reason:
            console.warn(f"{file.name}: not fixed: it {reason}")
        elif result.fixes or result.left:
            # A run that is not dry reports what is left.
            report = ": check without --fix reports them" if dry_run else ""
            console.warn(
                f"{file.name}: {result.fixes} fixed{' (dry run)' if dry_run else ''}, "
                f"{result.left} not fixed{report if result.left else ''}"
            )


def _plans(
    paths: Sequence[str], upgrade: Upgrade, ignored: Collection[tuple[str, ...]]
) -> Iterator[_Plan]:
    """What becomes of each file; of those that are left as they are, a warning says why
    where there is something to fix."""
    seen: set[str] = set()
    for file in find_files(paths):
        if file.reason_to_skip:
            continue
        path = os.path.realpath(file.path)
        if file.path == "-" or not os.path.isfile(path):  # noqa: PTH113
            where = f"--fix {file.path}"
            raise UsageError("cannot be written", where=where, hint="name a file")
        if path in seen:
            continue
        seen.add(path)
        if not Path(file.path).is_symlink():
            real_path(Path(file.path))
        try:
            text = file.read().decode()
        except UnicodeDecodeError:
            console.warn(f"{file.name}: not fixed: it is not in UTF-8")
            continue
        result = fixed_text(text, file.name, upgrade, ignored)
        reason = _reason_to_leave(file.path, text) if result.fixes else ""
        if reason:
            console.warn(f"{file.name}: not fixed: it {reason}")
        else:
            yield _Plan(file, text, result)


def _reason_to_leave(path: str, text: str) -> str:
    """Why a file is left as it is; empty where it may be written."""
    # In a folder of others, a link can lead to any file of the user.
    if os.path.islink(path):  # noqa: PTH114
        return "is a link: name the file that it leads to"
    # Root may write any file.
    is_writable = Path(path).stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP)
    if not (is_writable and os.access(path, os.W_OK)):
        return "is read-only"
    return "is generated (DO NOT EDIT)" if _GENERATED.search(text) else ""


def _write(file: ManifestFile, before: str, after: str) -> str:
    """Write a file atomically; the result says why it is left, or is empty."""
    path = Path(file.path)
    with atomic.writing(file.name):
        if path.is_symlink() or regular_file.read(path, max_bytes()) != before.encode():
            return "has changed meanwhile"
        atomic.write(path, after.encode())
    return ""
