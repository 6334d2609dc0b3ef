"""Which machine writes a vault that several share: one, named in `wiki/index.md`."""

from __future__ import annotations

from pathlib import Path

from vaultd.core.listing import INDEX, WRITER
from vaultd.core.page import decode_note, parse_page
from vaultd.core.properties import set_properties
from vaultd.errors import OtherMachineError, PropertiesError
from vaultd.vault.files import Vault
from vaultd.vault.layout import writer_named


def check_writer(root: Path, machine: str) -> None:
    """Refuse to work on a vault that another machine writes. Blocking.

    Raises:
        OtherMachineError: the message says how to change that.
    """
    writer = writer_named(root)
    if writer and writer != machine:
        raise OtherMachineError(
            f"Another machine ({writer}) writes this vault; this one ({machine}) only reads it. "
            "Stop vaultd there, wait until everything is synced, and run `vaultd take-over` here."
        )


def name_writer(vault: Vault, machine: str) -> bool:
    """Make `machine` the one that writes the vault; tell whether it was not. Blocking.

    Raises:
        PropertiesError: the properties of the index cannot be read safely.
        PageChangedError: somebody saved it at this very moment.
    """
    content = vault.read(INDEX)
    text = decode_note(content, INDEX) if content is not None else "# Index\n"
    if not parse_page(text).readable:
        raise PropertiesError(f"The properties of {INDEX} cannot be read: repair them first.")
    named = set_properties(text, {WRITER: machine})
    return vault.write(INDEX, named.encode(), expect=content)
