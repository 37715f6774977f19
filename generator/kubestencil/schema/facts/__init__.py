"""Tables of facts about Kubernetes (``specs/*.tsv``) that its documents do not state.

``tables`` reads rows and ranges of releases; each other module has one subject:
``feature_gates`` (with the fields that they guard), ``fields``, ``lifecycle``,
``parameters``, ``resources``, ``strategies`` and ``go_modules``; ``values`` has enums,
defaults and limits of fields, whose ``formats`` are code, ``combinations`` rules about several
fields, and ``immutable`` the fields that cannot change.
"""
