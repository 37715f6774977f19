"""A typed Python package of models, with the names of the official client.

``view`` hands templates the classes of ``package``: ``types`` and ``annotations`` of
their attributes, ``imports``, and an order (``sorting``). ``spelling`` and
``literals`` write Python, ``api_methods`` has the names of the client's methods, and
``example`` writes examples. ``custom`` and ``custom_package`` are for custom
resources.
"""
