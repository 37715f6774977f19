"""Example values of kinds, as trees that the writer of each language turns into code.

``trees`` decides what an example contains, with ``starters`` for built-in kinds and
``values`` for each schema (``fields``, ``scalars``, ``strings`` with a pattern), of
which the API server accepts some (``accepted``). ``nodes`` are the trees. The modules
that are called like a language write them, with the names of its target.
"""
