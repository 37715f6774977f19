"""Rules: what a difference means, how severe it is for whom, and why.

``rules.toml`` has all rules in their order, and ``table`` reads it. Their conditions are
predicates (``conditions``, ``lifecycle_conditions``) on a difference and a
``rule_context``; severities for audiences are in ``audience``. ``classify`` finds the
rule of a difference; ``details`` add what is known of this one.
"""
