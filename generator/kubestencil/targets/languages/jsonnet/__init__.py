"""The Jsonnet library of builder functions, as k8s-gen publishes it.

``library`` is the library as values: where types are, their ``builders`` and other
``members``, as ``spelling`` writes them. ``overlay`` reads a user's overlay, which
``evaluate`` runs in a process of its own.
"""
