"""A Rust crate of types, compatible with k8s-openapi, and with kopium for custom kinds.

``fixups`` corrects the document, ``definitions`` are the types of the crate, those of
custom kinds with their names, for which ``kopium`` has the rules. ``crate`` has them in
the modules of ``layout``, with ``value_types`` of fields, ``lists`` and ``hand_written``
ones. ``package`` is for Cargo, ``spelling`` and ``literals`` write Rust.
"""
