"""``python -m specs.make release``: ``modules`` downloads the sources of a release, ``run``
makes its tables, with the program of ``validator``, ``listing`` adds it to
``specs/releases.toml``, ``sizes`` measures targets, and ``review`` writes what differs from
the release before.
"""
