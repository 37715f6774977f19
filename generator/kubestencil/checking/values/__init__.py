"""Checks values against what the API server is known to accept (``schema.knowledge.values``),
where its own code is not at hand.

``fields`` compiles the facts of a field into a check, ``places`` checks what holds at
one place of a kind only, or nowhere in it, and ``combinations`` compares fields of one
object, ``definitions`` reads CustomResourceDefinitions, ``relations`` compares what is in
different parts of an object. ``scalars`` says whether Go accepts a text. ``comparable`` is
what tables of two releases can tell about a value.
"""
