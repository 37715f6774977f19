"""Reads CustomResourceDefinitions into the definitions that kube-apiserver serves.

``crd`` reads one and checks it (``structural``, ``default_values``), and
``definitions`` those of a set of files, with ``standard_fields``. ``conditions`` and
``field_choices`` read ``oneOf`` and its like, ``merge_types`` list and map types.
``stated_rules`` reads which fields need or exclude each other, for examples, and
``shared_types`` replaces types that equal built-in ones.
"""
