"""Reports on checks of manifests.

``view`` has the variables that the templates of all formats get.
"""
