"""The language server: what an editor shows of manifests while they are written.

``findings`` checks a text, ``cursor`` finds the field that a cursor is at, ``fields``
describes and completes it, and ``server`` answers an editor with pygls. ``messages``
refuses what an editor sends out of turn, and ``positions`` counts as it does: pygls ends
lines at characters where editors end none.
"""
