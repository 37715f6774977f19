"""Text for languages and formats: names, comments, literals, HTML, Markdown, YAML.

The text of a document can be anything. What these modules return is safe where it is
inserted: it cannot end the element, cell or literal that it is in.
"""
