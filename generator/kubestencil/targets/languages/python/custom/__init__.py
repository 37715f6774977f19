"""Models of custom resources.

``kinds`` finds them, ``modules`` has their classes by group and version, ``types`` the
types of attributes.
"""
