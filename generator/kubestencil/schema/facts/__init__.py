"""Tables of facts about Kubernetes (``specs/*.tsv``) that its documents do not state.

``tables`` reads rows and ranges of releases; each other module has one subject:
``feature_gates`` (with the fields that they guard), ``components`` (their metrics and
flags), ``fields``, ``lifecycle``, ``parameters``, ``resources`` and ``strategies``;
``values`` has enums, defaults and limits of fields, ``formats`` the formats that limits
name, ``combinations`` rules about several fields, ``warnings`` keys that servers warn of,
``kind_fields`` what cannot change in a kind and what nobody looks into, and
``volume_plugins`` what became of those.
``configurations`` are the files that programs read.
``conditions`` are those of defaults and combinations.
"""
