"""A Rust crate of types, compatible with k8s-openapi.

``view`` hands templates the ``types`` of a ``crate``, in the modules of ``layout``,
with ``value_types`` of fields, boxes where types contain themselves
(``containment``), ``lists`` and ``hand_written`` ones. ``fixups`` corrects the
document first. ``package`` is for Cargo, ``spelling`` and ``literals`` write Rust,
``example`` examples. ``api`` has operations and merging, ``custom`` custom resources.
"""
