"""The view ``model``: a release in Kubernetes' words, for targets without code.

``view`` says what files can be generated for, ``values`` what templates begin with,
``linked`` what that leads to.
"""
