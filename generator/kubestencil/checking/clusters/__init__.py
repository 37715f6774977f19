"""Reads a live cluster through the user's own kubectl, which only reads.

kubectl has the credentials, contexts and proxies of people, which a client of our own
would have to read as it does.

``kubectl`` reads paths and lists, through one ``proxy``, ``live`` finds in an object what people and programs
wrote, ``helm`` the manifests of Helm releases, and ``cluster`` all that is checked.
"""
