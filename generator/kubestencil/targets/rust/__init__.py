"""A Rust crate of types, compatible with k8s-openapi.

``view`` hands templates the ``types`` of a ``crate``, in the modules of ``layout``,
with ``value_types`` of fields, ``lists`` and ``hand_written`` ones, the traits of
``resources``, and how their fields are merged (``merging``). ``fixups`` corrects the
document first. ``package`` is for Cargo, ``spelling`` and ``literals`` write Rust,
``example`` examples. ``custom`` has custom resources.
"""
