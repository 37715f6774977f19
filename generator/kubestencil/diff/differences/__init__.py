"""What differs between two documents: definitions, resources and operations.

``align`` gives the definitions of both the same names. ``definitions`` compares them
as fragments of the documents, ``resources`` how custom resources are served,
``operations`` the requests of the API, and ``validations`` CEL rules. ``constraints``
decides whether one schema accepts all that another one does, ``moved_fields`` where a
removed field is. ``names`` has the names of all changes.
"""
