"""The files of the Jsonnet library of builder functions.

``view`` says which there are; what is in them is in ``targets.languages.jsonnet``.
"""
