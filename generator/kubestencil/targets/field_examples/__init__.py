"""The example of a field: the starter of its kind with the field in it, such that the API
server accepts and keeps it.

``objects`` puts the field in, with a value; the object follows ``examples.rules``, and gets
``changes`` of the tables. ``additions`` are what each type does to an object that gets one of its fields,
for what makes examples without the rules. ``explanations`` say why a field has no example, or what it needs.
"""
