"""Models of custom resources.

``kinds`` finds them, ``modules`` names modules by group and version, ``classes`` and
``types`` those inside.
"""
