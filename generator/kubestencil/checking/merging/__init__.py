"""Reports of earlier checks, read and joined: ``stored_reports`` reads them, and ``join``
makes one of those of the shards of a run.
"""
