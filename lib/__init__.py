"""Shared loaders, metrics and systems of the human-rights benchmark lab."""
