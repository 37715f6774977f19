"""The files of a typed Python package of models (``targets.languages.python``).

``modules`` makes the ``classes`` of each module, ``view`` the files.
"""
