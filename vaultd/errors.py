"""What can go wrong, sorted by the reaction it asks for."""

from __future__ import annotations

from datetime import datetime, timedelta

NAMED = 3  # near names in a sentence


class VaultdError(Exception):
    """Anything vaultd raises on purpose; the message is for the person at the vault."""

    code = "failed"


class UsageError(VaultdError):
    """The request cannot be carried out as it stands; nothing was changed (exit code 2)."""

    code = "usage"


class SettingsError(UsageError):
    """A setting is wrong; the message names the key. Nothing was started."""

    code = "settings"


class NotFoundError(UsageError):
    """What was named does not exist; `candidates` may hold near names."""

    code = "not_found"

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates

    @property
    def sentence(self) -> str:
        """The message with the nearest names, for where they are not shown beside it."""
        near = " or ".join(self.candidates[:NAMED])
        return f"{self} Did you mean {near}?" if near else str(self)


class ConflictError(UsageError):
    """What the caller saw is no longer so; `current` is the hash of what is there now."""

    code = "conflict"

    def __init__(self, message: str, current: str | None = None) -> None:
        super().__init__(message)
        self.current = current


class VaultLockedError(VaultdError):
    """Another process holds the vault's lock."""

    code = "locked"


class OtherMachineError(VaultdError):
    """Another machine writes this vault; this one only reads until a person says otherwise."""

    code = "other_machine"


class DatabaseError(VaultdError):
    """The database is damaged, foreign, or newer than this program."""

    code = "database"


class DatabaseDamagedError(DatabaseError):
    """The database does not hold together; the next start sets it aside and makes it anew."""


class TransientError(VaultdError):
    """May work later: the worker waits and tries again.

    `retry_after` is the wait asked for by the other side, `counted` whether the try counts
    as one of the attempts after which the job is parked.
    """

    code = "transient"

    def __init__(
        self, message: str, *, retry_after: timedelta | None = None, counted: bool = True
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.counted = counted


class ModelUnavailableError(TransientError):
    """The model endpoint did not give a usable answer: timeout, 5xx, broken stream."""

    code = "model_unavailable"


class RateLimitedError(TransientError):
    """The endpoint asked for a pause (429, 503): waited for, never counted as an attempt."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(message, retry_after=retry_after, counted=False)


class BadReplyError(TransientError):
    """The model's answer is not whole or does not fit; asking again may help."""

    code = "bad_reply"


class PageChangedError(TransientError):
    """A file changed between reading and replacing it."""

    code = "page_changed"


class OnlineOnlyError(TransientError):
    """A sync tool moved a note's content into the cloud: waited for, never taken for deleted."""

    code = "online_only"

    def __init__(self, message: str) -> None:
        super().__init__(message, retry_after=timedelta(minutes=1), counted=False)


class EndpointClosedError(VaultdError):
    """No call can succeed until a person or the network changes something.

    Used-up quota, refused key, unknown model, refused connection: every job that needs the
    model pauses, and one probe finds out when it is over.
    """

    code = "endpoint_closed"


class DiskFullError(VaultdError):
    """No space to write: the queue pauses and resumes by itself."""

    code = "disk_full"


class WaitingError(VaultdError):
    """The job waits for a person, or until `until`: too many tokens, daily limit reached."""

    code = "waiting"

    def __init__(self, message: str, *, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class PermanentError(VaultdError):
    """Trying again would give the same: the job is parked until something changes."""

    code = "permanent"


class UnreadableSourceError(PermanentError):
    """The file gives no usable text; `code` says why.

    One of `needs_ocr`, `encrypted`, `unsupported`, `broken`, `empty`, `too_large`, `vanished`.
    """

    def __init__(self, message: str, code: str = "broken") -> None:
        super().__init__(message)
        self.code = code


class OutsideVaultError(PermanentError):
    """A path leaves the vault, or enters a folder that is not ours to touch."""

    code = "outside_vault"


class PropertiesError(PermanentError):
    """A note's property block cannot be read safely; the note is left byte for byte."""

    code = "fix_properties"


class CapacityError(PermanentError):
    """The request is larger than the model can take, even split."""

    code = "too_large_for_model"
