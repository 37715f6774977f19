"""The view of the reports on checks of manifests."""
