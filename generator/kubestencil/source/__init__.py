"""Sources of documents: embedded, in a folder, in any file, on a server.

``locate`` finds a release: in a ``folder``, or ``embedded``;
``remote`` downloads documents, and ``pinned`` those of a lock. ``inputs`` reads what
users name, ``crds`` files of CustomResourceDefinitions, ``helm`` those of charts, and
``find`` tells releases from files. ``decoding`` reads ``json_text`` and ``yaml``, within
``limits``, also with the positions of values, which no reader of JSON gives.
``document`` has the types, ``releases`` names and ranges of releases, and ``versions``
those in names of files.
"""

from kubestencil.source.decoding import decode
from kubestencil.source.document import Source
from kubestencil.source.locate import available, locate

__all__ = ["Source", "available", "decode", "locate"]
