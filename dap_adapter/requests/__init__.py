"""Request handlers, one module per area.

Rules: a handler takes the session and typed arguments, returns the response's body and queues
events; it never sends, waits or reads a clock.
"""
