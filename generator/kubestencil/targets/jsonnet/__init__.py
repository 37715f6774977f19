"""The files of the Jsonnet library of builder functions (``targets.languages.jsonnet``)."""
