"""Reports on checks of manifests.

``view`` has the variables that the templates of all formats get.

``fleet`` has the variables of reports on many repositories or clusters.
"""
