"""Thin translators of the core; a face never imports another face."""
