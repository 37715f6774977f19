"""Rules: what a difference means, how severe it is for whom, and why."""
