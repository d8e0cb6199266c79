"""A runtime that drives the core's state program and records what happens."""
