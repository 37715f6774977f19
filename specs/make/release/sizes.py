"""States in ``target.toml`` how many files, of which size, targets make of a release."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from kubestencil import atomic
from kubestencil.engine import Target, load_targets
from kubestencil.engine.manifest import Size
from kubestencil.errors import KubestencilError
from kubestencil.source import available
from kubestencil.source.releases import listed_releases

_SIZE = re.compile(r"^size = .*$", re.M)
# Sites and reports are of several releases.
_RELEASES = 3
# What is stated is an estimate: one that is as near as this stays.
_NEAR = 0.05


def update_sizes(release: str) -> None:
    """Measure all targets that state a size. Raises KubestencilError where the spec of a
    release is not there."""
    if release not in available(None):
        raise KubestencilError("its spec is not there", where=release)
    for target in load_targets(None).values():
        size = measured(target) if target.size.files else target.size
        if not is_near(size, target.size):
            text = target.manifest.read_text("utf-8")
            atomic.write(target.manifest, with_size(text, size).encode())


def measured(target: Target) -> Size:
    """How much a target makes of each of the newest three releases, or of all where it
    compares them."""
    releases = [*listed_releases()]
    if target.min_releases < 2:
        releases = releases[-_RELEASES:]
    with TemporaryDirectory() as folder:
        command = ("render", *releases, "-t", target.name, "-o", folder, "-q")
        subprocess.run([sys.executable, "-m", "kubestencil", *command], check=True)
        sizes = [
            path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()
        ]
    count = len(releases)
    return Size(round(len(sizes) / count), round(sum(sizes) / count / 1000))


def is_near(size: Size, stated: Size) -> bool:
    """Whether what is stated is good enough."""
    return all(abs(a - b) <= _NEAR * a for a, b in zip(size, stated, strict=True))


def with_size(manifest: str, size: Size) -> str:
    """A manifest that states a size."""
    line = f"size = {{ files = {size.files}, kilobytes = {size.kilobytes} }}"
    return _SIZE.sub(line, manifest, count=1)
