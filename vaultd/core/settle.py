"""When a file is whole: unchanged for a while, and complete for its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

INCOMPLETE_LIMIT = 600.0  # seconds; an incomplete-looking file is taken after that, as it is
PDF_TAIL = 1024  # bytes in which readers look for %%EOF (PDF 32000-1, implementation note 18)
ZIP_TAIL = 65_557  # bytes: end-of-directory record plus its longest comment (APPNOTE 4.3.16)
ZIP_SUFFIXES = frozenset(
    {"docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "odt", "odp", "ods", "epub"}
)
ZERO_TAIL = 512  # bytes; no format ends in this many zeros, preallocating sync tools do


class FileStat(NamedTuple):
    """What tells a change: size in bytes, times in nanoseconds, inode."""

    size: int
    mtime: int
    ctime: int
    inode: int


@dataclass(frozen=True, slots=True)
class Trace:
    """A file on its way to being taken: its last look and since when it looks so.

    `since` is in seconds of a monotonic clock, so that a step of the wall clock neither
    hurries nor stalls a file.
    """

    stat: FileStat
    since: float


def follow(trace: Trace | None, stat: FileStat, now: float) -> Trace:
    """Return the trace after seeing `stat` at `now`; any change restarts the quiet time."""
    if trace is not None and _written(trace.stat) == _written(stat):
        return trace
    return Trace(stat, now)


def settled(trace: Trace, now: float, quiet: float) -> bool:
    """Tell whether the file kept still for `quiet` seconds; an empty file never has."""
    return trace.stat.size > 0 and now - trace.since >= quiet


def looks_complete(suffix: str, head: bytes, tail: bytes) -> bool:
    """Tell whether a file that starts with `head` and ends with `tail` can be whole.

    `suffix` is lower case without a dot; `tail` holds the last `ZIP_TAIL` bytes or more of
    what the file has. Only PDF and ZIP containers can be judged; others pass.
    """
    if suffix == "pdf" or head.startswith(b"%PDF-"):
        return b"%%EOF" in tail[-PDF_TAIL:] and not _zero_tail(tail)
    if suffix in ZIP_SUFFIXES and (head.startswith(b"PK") or not head.strip(b"\0")):
        return b"PK\x05\x06" in tail
    return True


def _written(stat: FileStat) -> tuple[int, int, int]:
    return stat.size, stat.mtime, stat.inode


def _zero_tail(tail: bytes) -> bool:
    return len(tail) >= ZERO_TAIL and not tail[-ZERO_TAIL:].strip(b"\0")
