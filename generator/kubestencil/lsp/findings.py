"""Checks one text, and offers its fixes as edits of the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.checking.edits import Fix, Move, Put
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.kustomize import read_kustomizations
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.checking.findings import Finding
from kubestencil.checking.fixing import text_with_fix
from kubestencil.checking.paths import field_path
from kubestencil.checking.run import Run
from kubestencil.checking.upgrade import Upgrade

_MAX_SHOWN = 60


class Replacement(NamedTuple):
    """The characters from ``start`` to ``end`` of a text become ``new``."""

    title: str
    start: int
    end: int
    new: str
    is_sure: bool


def findings_in(text: str, path: str, upgrade: Upgrade) -> list[Finding]:
    """What is wrong with a text that an editor has of a file."""
    file = ManifestFile(path, content=text.encode("utf-8", "replace"))
    run = Run(upgrade, read_kustomizations([ManifestFile(path)]))
    for finish in run.start([file]):
        finish()
    return run.found.findings


def replacements(text: str, path: str, finding: Finding) -> Iterator[Replacement]:
    """The fixes of a finding that the text can have without doubt."""
    subject = finding.subject
    # Editors may send lone surrogates, which have no bytes.
    text = text.encode("utf-8", "replace").decode()
    for item in read_manifests(text.encode(), path):
        is_meant = item.subject[:6] == subject[:6]
        if not (is_meant and isinstance(item, Manifest)):
            continue
        for fix in finding.fixes:
            new = text_with_fix(text, path, item, fix)
            if new is not None:
                is_sure = len(finding.fixes) == 1
                title = finding.hint if is_sure else _title(fix)
                yield _difference(title, text, new, is_sure)


def _title(fix: Fix) -> str:
    edit = fix[-1]
    if isinstance(edit, Move):
        return f"move to {field_path(edit.target)}"
    if isinstance(edit, Put):
        return f"write {str(edit.value)[:_MAX_SHOWN]}"
    return f"remove {field_path(edit.path)}"


def _difference(title: str, text: str, new: str, is_sure: bool) -> Replacement:
    """The part of two texts that differs."""
    shorter = min(len(text), len(new))
    start = next((i for i in range(shorter) if text[i] != new[i]), shorter)
    most = shorter - start
    same = next((i for i in range(most) if text[~i] != new[~i]), most)
    end = len(new) - same
    return Replacement(title, start, len(text) - same, new[start:end], is_sure)
