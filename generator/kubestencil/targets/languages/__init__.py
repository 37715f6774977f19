"""Names, types and packages of the languages that several targets print.

The target ``python`` prints the classes that ``python-client`` calls, ``markdown``
describes and the site has examples for; ``jsonnet-docs`` describes the library of
``jsonnet``, and the site shows structs of ``rust``. ``modules`` groups definitions by API
group and version, ``custom_kinds`` finds those of custom kinds, whatever the language.
"""
