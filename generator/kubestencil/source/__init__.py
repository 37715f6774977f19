"""Sources of documents: embedded, in a folder, in any file, on a server."""

from kubestencil.source.decoding import decode
from kubestencil.source.document import Source
from kubestencil.source.locate import available, locate

__all__ = ["Source", "available", "decode", "locate"]
