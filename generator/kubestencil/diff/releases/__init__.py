"""What is known of the compared releases besides their definitions.

``facts`` joins the tables of facts, ``stages`` has alpha, beta and stable with
feature gates, and ``descriptions`` what texts state.
"""
