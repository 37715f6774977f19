"""Finds manifests and reads the objects in them, with positions.

``find`` lists the files in folders but those that Git ignores (``ignored_paths``), and
says which are ``expectations`` of tests; ``manifests`` reads objects, ``definitions`` finds
CustomResourceDefinitions among them, and ``catalogues`` the schemas of others,
``kustomize`` recognizes patches and what is set by kustomizations, and ``placeholders``
what a template has not filled in. ``previous`` has objects as they were before, in a
folder or a commit, and ``uses`` what manifests use of releases. ``rendered`` is what the
user's helm and kustomize print, ``inline`` finds manifests inside of others, and
``policies`` reads admission policies with what they need.
"""
