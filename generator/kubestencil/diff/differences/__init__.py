"""What differs between two documents: definitions, resources and operations.

``align`` gives the definitions of both the same names. ``definitions`` compares their
schemas, ``resources`` how custom resources are served, ``operations`` the requests of
the API, ``validations`` CEL rules, and ``server_values`` what the API server accepts
and documents do not state. ``moved_fields`` finds where a removed field is.
``names`` has the names of all changes.
"""
