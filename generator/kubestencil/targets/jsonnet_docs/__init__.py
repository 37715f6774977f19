"""The documentation of the Jsonnet library, as docsonnet generates it.

``documentation`` is that of the library itself and of what an overlay adds, which
``pages`` lays out for ``view``.
"""
