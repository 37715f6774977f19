"""Pages of the site: one module for each kind of page."""
