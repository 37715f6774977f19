"""How an API server serves kinds: paths, operations, names and verbs.

``operation`` reads the operations in a document, ``paths`` what a path addresses,
and ``served`` makes the resources of them, or of facts.
"""
