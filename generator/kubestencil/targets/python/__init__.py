"""A typed Python package of models, with the names of the official client.

``view`` hands templates the classes of ``package``: ``types`` and ``annotations`` of
their attributes, and ``imports``. ``spelling`` writes Python names, ``api_methods`` has
the names of the client's methods, and ``example`` writes examples. ``custom`` is for
custom resources, whose modules ``custom_view`` makes of ``custom_files``.
"""
