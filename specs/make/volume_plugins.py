"""The table ``volume-plugins.tsv``: when volume plugins were deprecated, handed over to a
CSI driver, and taken out.

The API server warns of most of them, with the releases. Which ones a CSI driver serves is
what feature gates say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubestencil.schema.knowledge.gates import gate_in, gate_releases
from specs.make.checkouts import Checkout

HEADER = """
What became of volume plugins, tab-separated:

  field       the JSON name of the volume, of pods and of persistent volumes
  deprecated  the release from which it is deprecated; - where no source names it
  migrated    the first release of feature-gates.tsv in which a CSI driver serves such
              volumes by default
  ended       the first release in which they do not work, or not by default
  source      the file of k8s.io/kubernetes that warns of it, or the feature gate

Made by `python -m specs.make volume-plugins` (specs/README.md) from k8s.io/kubernetes and
feature-gates.tsv.
"""

_FILES = ("pkg/api/pod/warnings.go", "pkg/api/persistentvolume/util.go")
_WARNING = re.compile(
    r'"%s: deprecated in v([\d.]+)(?:, (?:non-functional|and disabled by default)'
    r' in v([\d.]+)\+)?".*\.Child\("(\w+)"\)'
)
# Names that the warnings spell otherwise than the documents do.
_SPELLING = {"storageOS": "storageos"}
# The volumes that each gate hands over.
_MIGRATIONS = {
    "CSIMigrationAWS": "awsElasticBlockStore",
    "CSIMigrationAzureDisk": "azureDisk",
    "CSIMigrationAzureFile": "azureFile",
    "CSIMigrationGCE": "gcePersistentDisk",
    "CSIMigrationOpenStack": "cinder",
    "CSIMigrationPortworx": "portworxVolume",
    "CSIMigrationvSphere": "vsphereVolume",
}
# Deprecated since 1.23, without a warning: CHANGELOG-1.23.md, "Deprecation".
_FLEX = ("flexVolume", "1.23", "", "", "CHANGELOG/CHANGELOG-1.23.md")


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table, from the sources of the newest release."""
    del append
    rows = {row[0]: row for row in _warned(checkouts[-1])}
    for gate, field in _MIGRATIONS.items():
        stages = ((release, gate_in(gate, release)) for release in gate_releases())
        migrated = next(release for release, stage in stages if stage and stage.enabled)
        rows[field] = (field, "", migrated, "", gate)
    rows[_FLEX[0]] = _FLEX
    return [rows[field] for field in sorted(rows, key=str.casefold)]


def _warned(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    for name in _FILES:
        found: dict[str, tuple[str, str]] = {}
        source = (checkout.module("kubernetes") / name).read_text("utf-8")
        for deprecated, ended, field in _WARNING.findall(source):
            # A plugin that is off by default has a second warning, without that.
            _, known = found.get(field, ("", ""))
            found[field] = deprecated, ended or known
        for field, (deprecated, ended) in found.items():
            yield _SPELLING.get(field, field), deprecated, "", ended, name
