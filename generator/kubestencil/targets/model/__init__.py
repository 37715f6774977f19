"""The view `model`: a release in the terms of its document."""
