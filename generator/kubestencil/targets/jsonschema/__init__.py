"""JSON Schemas, as yannh/kubernetes-json-schema publishes them, and with what the API server
knows of values.

``view`` gives the files of each of the ``flavours`` as bytes. Those that were published
before are JSON that openapi2jsonschema changed: ``definitions`` and ``published`` have its
changes. ``schemas`` makes those of other ``kinds``, with ``facts``. ``writer`` prints both.
"""
