"""Operations and merging of resources in the crate."""
