"""LangGraph: the stored checkpoints of a thread as a session of ours; nothing is executed."""

from engine.importers.langgraph.importer import LANGGRAPH

__all__ = ["LANGGRAPH"]
