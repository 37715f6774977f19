"""The language server: what an editor shows of manifests while they are written.

``findings`` checks a text, ``cursor`` finds the field that a cursor is at, ``fields``
describes and completes it, and ``server`` answers an editor with pygls. ``messages`` reads
what an editor sends, ``positions`` counts as it does.
"""
