"""Pages of the site: a module for each kind of page.

``type_page`` with ``usage``, ``type_changes``, ``resource_labels``,
and ``own_descriptions``; ``start_page``, ``comparison`` of two releases, ``reports`` of
changes, and ``extra_pages`` of the user.
"""
