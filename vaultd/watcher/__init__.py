from vaultd.watcher.watch import Look, Watcher

__all__ = ["Look", "Watcher"]
