"""Decodes objects as the API server does, and reports what it would refuse.

``decode`` compiles the check of a definition, with those of texts and numbers in
``scalar_checks``. ``custom`` validates custom resources by their schemas, and
``remarks`` says what is known of fields whatever their values are; ``server_warnings``
finds what a server only warns of, and ``configurations`` the files inside of
configuration files.
"""
