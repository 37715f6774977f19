"""A Rust crate of types, compatible with k8s-openapi.

``crate`` has the types in the modules of ``layout``, with ``value_types`` of fields,
``lists`` and ``hand_written`` ones. ``fixups`` corrects the document first. ``package``
is for Cargo, ``spelling`` and ``literals`` write Rust. ``custom`` has custom resources.
"""
