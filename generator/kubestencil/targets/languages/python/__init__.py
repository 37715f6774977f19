"""A typed Python package of models, with the names of the official client.

``package`` has the classes, of Kubernetes' own kinds and of custom ones, and their
``modules``. ``types``, ``annotations`` and ``imports`` are
what these contain. ``spelling`` writes Python names, ``api_methods`` has the names of the
client's methods.
"""
