"""Finds what the examples of fields need that follows from no other fact, by asking.

``questions`` puts examples to a program, ``search`` looks for what refused ones lack, and
``tables`` makes the rows of it.
"""
