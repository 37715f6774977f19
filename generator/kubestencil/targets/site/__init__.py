"""The docs site: a static reference of the types of all releases.

``view`` divides the site into parts: ``release`` for the pages of one, with
``release_context`` for what they show about others, and ``common`` for the files
outside of release folders, with ``sitemap`` and scripts made ``compact``. ``pages`` has
a module for each kind of page, ``fields`` and ``examples`` what pages of types show.
``addresses`` are permalinks, ``navigation`` and ``listing`` lead to them.
``search_index`` (with ``search_aliases`` and ``search_facts``) and ``data_scripts`` are for
scripts, ``options`` for users.
"""
