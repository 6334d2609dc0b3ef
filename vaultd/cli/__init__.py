from vaultd.cli.application import main

__all__ = ["main"]
