"""Asks programs of API servers about objects that they accept.

``objects`` has JSON values and their positions in types, ``answers`` puts them to a program
and reads what it says; several programs are asked at once (``workers``). ``pool`` has the
objects to ask about, to which ``seeds`` adds as many fields as possible (``samples``); ``repairs`` makes refused ones
accepted.
"""
