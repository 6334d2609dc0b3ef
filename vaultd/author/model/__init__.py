"""The author that asks a language model."""

from vaultd.author.model.asking import Models
from vaultd.author.model.author import ModelAuthor
from vaultd.author.model.book import LedgerBook

__all__ = ["LedgerBook", "ModelAuthor", "Models"]
