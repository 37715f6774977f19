"""What is known of the compared releases besides their definitions.

``facts`` joins the tables of facts, ``stages`` has alpha, beta and stable with
feature gates, and ``descriptions`` what texts state. ``served_versions`` says which
versions of a kind there are, ``owning_kinds`` which kind a definition belongs to, and
``user_paths`` where users write a field.
"""
