"""Notes on their way to another text: read once, changed several times, written by one plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from vaultd.core.page import decode_note
from vaultd.errors import PropertiesError
from vaultd.model.paths import VaultPath
from vaultd.publish.plan import Write
from vaultd.store import pages
from vaultd.store.database import Database
from vaultd.vault.files import Vault


@dataclass(frozen=True, slots=True)
class Note:
    """A note with the text it had and the text it gets.

    `base` is what we alone would have there (None: not known); `ours` tells whether we ever
    wrote it, `touched` whether its text or its base is another by now.
    """

    path: VaultPath
    expect: bytes | None
    text: str
    base: str | None
    ours: bool
    touched: bool = False


class Edits:
    """The notes of one plan. `writes` of the same plan may be handed in to be changed further."""

    def __init__(self, db: Database, vault: Vault, writes: Iterable[Write] = ()) -> None:
        self._db = db
        self._vault = vault
        self._notes = {write.path: _of_write(write) for write in writes}

    async def note(self, path: VaultPath) -> Note | None:
        """Return the note as it is by now; None where there is none, or none that is text."""
        if path not in self._notes:
            content = await asyncio.to_thread(self._vault.read, path)
            if content is None:
                return None
            written = await self._db.read(pages.last_written, path)
            try:
                text = decode_note(content, path)
            except PropertiesError:
                return None  # not UTF-8: writing it back would not give the same bytes
            base = written.base if written else None
            self._notes[path] = Note(path, content, text, base, written is not None)
        return self._notes[path]

    def put(self, note: Note, text: str, base: str | None) -> None:
        """Give a note its next text and what we alone would have there."""
        touched = note.touched or (text, base) != (note.text, note.base)
        self._notes[note.path] = replace(note, text=text, base=base, touched=touched)

    async def change(self, path: VaultPath, change: Callable[[str], str]) -> bool:
        """Make `change` to a note and to its base alike; tell whether its text is another."""
        note = await self.note(path)
        if note is None:
            return False
        base = change(note.base) if note.base is not None else None
        text = change(note.text)
        self.put(note, text, base)
        return text != note.text

    def drop(self, path: VaultPath) -> None:
        """Leave a note out of the plan."""
        self._notes.pop(path, None)

    def writes(self) -> tuple[Write, ...]:
        """Return what has to be written, in order of path."""
        return tuple(
            Write(
                note.path,
                note.text.encode(),
                note.expect,
                base=note.base if note.base != note.text else None,
                known=note.base is not None,
            )
            for _, note in sorted(self._notes.items())
            if note.touched
        )


def _of_write(write: Write) -> Note:
    text = write.content.decode()
    base = (write.base if write.base is not None else text) if write.known else None
    return Note(write.path, write.expect, text, base, ours=True, touched=True)
