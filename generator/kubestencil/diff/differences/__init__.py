"""What differs between two documents: definitions, resources and operations.

``align`` gives the definitions of both the same names. ``definitions`` compares their
schemas, ``resources`` how kinds are served, and ``server_values`` what the API server
accepts and documents do not state. ``names`` has the names of all changes.
"""
