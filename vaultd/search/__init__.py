from vaultd.search.engine import SearchEngine

__all__ = ["SearchEngine"]
