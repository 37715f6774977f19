"""The files of a Rust crate of types (``targets.languages.rust``).

``view`` hands templates the ``types``, the traits of ``resources``, and how their fields
are merged (``merging``).
"""
