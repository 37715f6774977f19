"""JSON Schemas, as yannh/kubernetes-json-schema publishes them.

``view`` gives the files of each of the ``flavours`` as bytes. ``published`` makes the
schemas of a folder of ``definitions``, as openapi2jsonschema changes them. ``custom`` is
for custom resources, ``catalog`` for them as CRDs-catalog publishes them, ``editor`` has
what the API server knows of values, and ``writer`` prints JSON.
"""
