"""What is known of the compared releases besides their definitions: stages, served
versions, owning kinds."""
