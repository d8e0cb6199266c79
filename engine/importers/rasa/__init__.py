"""Rasa: a conversation tracker, classic or CALM, as a session of ours; nothing is executed."""

from engine.importers.rasa.importer import RASA

__all__ = ["RASA"]
