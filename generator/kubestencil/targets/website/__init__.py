"""The view ``website``: the pages of the API reference that kubernetes.io publishes.

``types`` decides which types have a page, ``operations`` finds the operations of a
resource, ``links`` the address of a type, ``pages`` makes the values of a page, ``facts``
what the option ``facts`` adds, ``text`` escapes; ``quirks`` are the accidents of the
generator, ``view`` puts them together.
"""
