"""The IDE face: a recording spoken over the Debug Adapter Protocol.

Rules: a handler translates a request into calls of the core and their values into DAP values; a
rule of debugging belongs to the core. camelCase lives only in `protocol.py`.
"""
