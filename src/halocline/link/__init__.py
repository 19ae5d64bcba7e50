"""Two sites, one run: messages over an encrypted link that outlives cuts of the network.

`connection.Link` is what a run uses; `docs/sites.md` says how certificates are made.
"""
