"""What is known of the compared releases besides their definitions.

``facts`` joins the tables of facts, ``stages`` has alpha, beta and stable with
feature gates, and ``descriptions`` what texts state. ``served_versions`` says which
versions of a kind there are, and ``user_paths`` which kind a
definition belongs to and where users write a field.
"""
