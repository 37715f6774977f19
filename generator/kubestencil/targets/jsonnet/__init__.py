"""The files of the Jsonnet library of builder functions: ``view``. What they are made of is in
``targets.languages.jsonnet``.
