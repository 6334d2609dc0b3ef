"""The author that needs no model: it quotes, it never makes up."""

from vaultd.author.offline.author import OfflineAuthor

__all__ = ["OfflineAuthor"]
