"""Text for languages and formats: names, comments, literals, HTML, Markdown, YAML.

The text of a document can be anything. What these modules return is safe where it is
inserted: it cannot end the element, cell or literal that it is in.

Descriptions are comments of Go, not Markdown: markdown-it-py, which renders the pages of
users, renders one in seven otherwise, nearly all of them worse, in five times the time.

``casing``, ``unique_names``, ``code_names``, ``comments``, ``languages`` (a table of how each spells
comments, literals and identifiers) and ``wrapping`` are for code, ``yaml``, ``csv`` and
``github`` for these formats, ``terminal`` for colours. ``html`` and ``markdown`` show
descriptions, whose lines ``source_lines`` restores and ``godoc`` classifies;
``commonmark`` renders a user's pages. ``controls`` removes control characters. ``re2``
has patterns.
"""
