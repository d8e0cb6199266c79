"""Schemas, labels, error codes, canonical JSON and hashes: what bytes and faces agree on."""
