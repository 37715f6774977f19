"""Operations and merging of resources in the crate.

``resources`` are the traits of a type, ``endpoints`` its plural and scope,
``merging`` how its fields are merged.
"""
