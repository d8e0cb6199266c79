"""A terminal debugger: a client of the adapter, which runs in its own process.

Rules: everything shown is what the adapter answered; nothing here knows a recording, a flow or a
rule of stepping. `ide_client.py` asks, `screen.py` shows, `verbs.py` is the table between them.
"""
