"""The files of a typed Python package of models (``targets.languages.python``).

``modules`` makes the modules of classes, ``view`` the files.
"""
