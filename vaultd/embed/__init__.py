from vaultd.embed.seam import Embedder, Vector

__all__ = ["Embedder", "Vector"]
