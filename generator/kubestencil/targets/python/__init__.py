"""The files of a typed Python package of models (``targets.languages.python``).

``view`` hands templates the classes with their ``attributes``; the modules of custom
resources ``custom_view`` makes of ``custom_files``.
"""
