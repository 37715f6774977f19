"""Which fields a server accepts only together, or not together, found by asking the API
server's own code of one release.

``parts`` has the objects of definitions inside of accepted ones, and changes them,
``mine`` finds rules that may hold, ``tags`` reads those that Go types declare, ``proofs``
asks whether a rule holds, and ``tables`` makes the table, with what cannot be asked.
"""
