"""The token that opens the bridge, and one-time codes that are traded for it."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from datetime import datetime, timedelta

from vaultd.bridge.problem import RefusedError
from vaultd.core.timing import moment, stamp
from vaultd.vault.files import Vault
from vaultd.vault.layout import TOKEN

PAIRING = "pairing"  # a file's name, not a secret
OWNER_ONLY = 0o600
TOKEN_BYTES = 32  # 256 bits: cannot be guessed however fast one asks
CODE_LASTS = timedelta(minutes=2)  # a browser opens in seconds


def token_of(vault: Vault) -> str:
    """Return the vault's token, made at the first call; the file is for its owner only."""
    content = vault.read_state(TOKEN)
    if content is None or not content.strip():
        return new_token(vault)
    place = vault.state_file(TOKEN)
    if place.stat().st_mode & 0o077:
        place.chmod(OWNER_ONLY)
    return content.decode("ascii", "replace").strip()


def new_token(vault: Vault) -> str:
    """Put a new token in the place of the old one, which opens nothing from here on."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    vault.write_state(TOKEN, f"{token}\n".encode(), mode=OWNER_ONLY)
    return token


def new_code(vault: Vault, now: datetime) -> str:
    """Return a code that can be traded for the token once, within `CODE_LASTS`.

    Only its hash is stored, in a file the bridge reads; an earlier code is void.
    """
    code = secrets.token_urlsafe(TOKEN_BYTES)
    kept = {"sha256": _digest(code), "until": stamp(now + CODE_LASTS)}
    vault.write_state(PAIRING, json.dumps(kept).encode(), mode=OWNER_ONLY)
    return code


class Keyring:
    """Tells who may come in. A token that was rotated by another process counts at once."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._digest = _digest(token_of(vault))
        self._seen = self._stat()

    def opens(self, presented: str) -> bool:
        """Tell whether `presented` is the token; takes the same time for every wrong one."""
        return hmac.compare_digest(_digest(presented), self.current())

    def current(self) -> str:
        """Return the hash of the token that counts now."""
        if (seen := self._stat()) != self._seen:
            self._digest, self._seen = _digest(token_of(self._vault)), seen
        return self._digest

    def trade(self, code: str, now: datetime) -> str:
        """Return the token for a code that was not used yet.

        Raises:
            RefusedError: the code is wrong, used or too old.
        """
        refused = RefusedError(
            401, "code", "The code is wrong or used up: `vaultd open` makes one."
        )
        content = self._vault.read_state(PAIRING)
        if content is None:
            raise refused
        kept = json.loads(content)
        if not hmac.compare_digest(_digest(code), str(kept["sha256"])):
            raise refused
        self._vault.disk.unlink(self._vault.state_file(PAIRING))
        if now > moment(kept["until"]):
            raise refused
        return token_of(self._vault)

    def _stat(self) -> tuple[int, int]:
        try:
            about = self._vault.state_file(TOKEN).stat()
        except FileNotFoundError:
            return (0, 0)
        return (about.st_ino, about.st_mtime_ns)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
