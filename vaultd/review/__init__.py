"""Questions to the person: their notes, their answers, and what settled itself."""

from vaultd.review.answers import Reviews
from vaultd.review.sweep import Sweep

__all__ = ["Reviews", "Sweep"]
