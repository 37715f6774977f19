"""Types of custom resources.

``kinds`` finds what needs a type, ``kopium`` names it.
"""
