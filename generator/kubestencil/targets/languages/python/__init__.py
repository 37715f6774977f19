"""A typed Python package of models, with the names of the official client.

``package`` has the classes with the ``types`` and ``annotations`` of their attributes,
and ``imports``. ``spelling`` writes Python names, ``api_methods`` has the names of the
client's methods. ``custom`` is for custom resources.
"""
