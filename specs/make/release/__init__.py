"""``python -m specs.make release``: ``modules`` downloads the sources of a release, ``run``
makes its tables, ``asked`` those that the API server's own code answers, ``listing`` adds it
to ``specs/releases.toml``, and ``review`` writes what differs from the release before.
"""
