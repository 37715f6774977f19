"""The documentation of the Jsonnet library, as docsonnet generates it.

``generated`` documents the library itself, ``overlaid`` what an overlay adds, and
``pages`` lays out both for ``view``.
"""
