"""A companion daemon for Obsidian vaults: dropped documents become linked, searchable pages."""

__version__ = "0.1.0"
