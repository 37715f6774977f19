"""Files of the models of custom resources.

``files`` are made by ``view``, with their ``imports`` and ``docs``.
"""
