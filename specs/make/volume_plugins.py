"""The table ``volume-plugins``: when volume plugins were deprecated, handed over to a
CSI driver, and taken out.

The API server warns of most of them, with the releases. Which ones a CSI driver serves is
what feature gates say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubestencil.schema.knowledge.gates import gate_in, gate_releases
from kubestencil.source.releases import has_reached
from specs.make.checkouts import Checkout

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


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    rows = {row[0]: row for row in _warned(checkout)}
    for gate, field in _MIGRATIONS.items():
        enabled = (
            release
            for release in gate_releases()
            if has_reached(checkout.release, release)
            and (stage := gate_in(gate, release))
            and stage.enabled
        )
        if migrated := next(enabled, None):
            rows[field] = (field, "", migrated, "", gate)
    yield from rows.values()


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
