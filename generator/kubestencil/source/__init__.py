"""Where a spec comes from: its bytes, and what to say about their origin."""

from kubestencil.source.document import Source, decode
from kubestencil.source.locate import available, locate

__all__ = ["Source", "available", "decode", "locate"]
