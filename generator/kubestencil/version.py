"""The version of kubestencil."""

__version__ = "0.1.0"
