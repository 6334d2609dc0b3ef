"""What became of a write that was handed to another program, also where one of both died.

Other programs write in place: a death leaves the beginning of the new text. Which text that was
is noted before it is handed over, so that such a beginning is never taken for a person's edit.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from vaultd.model.paths import VaultPath

MARK = "handed-over.json"
BOM = "\ufeff"  # Obsidian takes it off, and could not compare


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A note whose text another program is to replace."""

    path: VaultPath
    before: str
    after: str

    def is_torn(self, current: bytes | None) -> bool:
        """Tell whether only the beginning of the new text stands there."""
        after = self.after.encode()
        return current is not None and len(current) < len(after) and after.startswith(current)

    def to_bytes(self) -> bytes:
        """Return it as it is noted."""
        return json.dumps(asdict(self)).encode()


def handed_over(path: VaultPath, before: bytes, after: bytes) -> HandedOver | None:
    """Return what can be handed over as text; None for what is no plain UTF-8."""
    try:
        old, new = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if old.startswith(BOM) else HandedOver(path, old, new)


def noted(mark: bytes) -> HandedOver | None:
    """Return what was noted; None where the note itself is no note of ours."""
    try:
        return HandedOver(**json.loads(mark))
    except (ValueError, TypeError):
        return None
