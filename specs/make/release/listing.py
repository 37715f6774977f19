"""Adds a release to ``specs/releases.toml``."""

from __future__ import annotations

import hashlib
import re

from kubestencil import atomic
from kubestencil.data_files import data_file
from kubestencil.source.releases import full_version, is_prerelease, published_url
from specs.make.checkouts import DOCUMENT, Checkout


def list_release(checkout: Checkout) -> bool:
    """Add a minor version, or the preview of one, with the document of its module, which
    upstream has at the tag. Returns whether it was added: a patch has none of its own, and
    what is listed stays."""
    release = checkout.release
    is_preview = is_prerelease(release)
    path = data_file("specs/releases.toml")
    text = path.read_text("utf-8")
    if not is_preview and release != checkout.minor_version:
        return False
    table = "preview" if is_preview else "release"
    if f'[{table}."{release}"]' in text:
        return False
    data = (checkout.module("kubernetes") / DOCUMENT).read_bytes()
    # What was a preview of the same minor version is superseded.
    former = rf'\n\[preview\."{re.escape(checkout.minor_version)}\.[^\[]*'
    text = re.sub(former, "", text)
    added = (
        f'\n[{table}."{release}"]\n'
        f'url = "{published_url(full_version(release))}"\n'
        f'sha256 = "{hashlib.sha256(data).hexdigest()}"\n'
    )
    # Previews come last.
    releases, mark, previews = text.partition("\n[preview.")
    text = (
        f"{releases}{mark}{previews}{added}"
        if is_preview
        else f"{releases}{added}{mark}{previews}"
    )
    atomic.write(path, text.encode())
    return True
