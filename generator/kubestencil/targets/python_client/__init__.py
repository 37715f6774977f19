"""The target ``python-client``: a typed client for the operations of a release.

``view`` hands templates classes with ``methods``: their ``arguments`` and ``types``.
"""
