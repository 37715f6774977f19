"""Tables of facts about Kubernetes (``specs/*.tsv``) that its documents do not state."""
