"""Tables of facts about Kubernetes (``specs/*.tsv``) that its documents do not state.

``tables`` reads rows and ranges of releases; each other module has one subject:
``changed_fields``, ``feature_gates`` (with the fields that they guard),
``field_usage``, ``lifecycle``, ``parameters``, ``renamed_fields``,
``required_fields`` and ``resources``.
"""
