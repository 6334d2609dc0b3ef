"""What kind of disk a folder is on, and which sync tool looks after it."""

from __future__ import annotations

import re
from pathlib import Path

# Other machines or virtual machines write here, or events do not arrive (requirements known
# from inotify(7) and from the trackers of watchdog and SQLite).
NETWORK_TYPES = re.compile(
    r"^(nfs\d?|cifs|smb\w*|9p|drvfs|virtiofs|vboxsf|vmhgfs|afs|ceph|glusterfs|lustre|davfs\d?"
    r"|ncpfs|afpfs|webdav|fuse\.(?!ext|ntfs|zfs).*|fuseblk\.network|fuse|osxfuse|macfuse|grpcfuse)$"
)
SYNCED_PARTS = (
    ("iCloud", re.compile(r"^(Mobile Documents|com~apple~CloudDocs|iCloud ?Drive.*|iCloud~.*)$")),
    ("Dropbox", re.compile(r"^Dropbox(\b.*)?$")),
    ("OneDrive", re.compile(r"^OneDrive(\b.*)?$")),
    ("Google Drive", re.compile(r"^(Google ?Drive.*|GoogleDrive.*|My Drive)$")),
)
SYNCTHING_MARKERS = (".stfolder", ".stignore")
MOUNT_TABLE = Path("/proc/self/mountinfo")
ESCAPED = re.compile(r"\\([0-7]{3})")


def mount_type(folder: Path, table: str | None = None) -> str:
    """Return the file system type of `folder` as the mount table names it, "" if unknown."""
    if table is None:
        if not MOUNT_TABLE.exists():
            return ""
        table = MOUNT_TABLE.read_text(encoding="utf-8", errors="surrogateescape")
    best, kind = Path(), ""
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if folder.is_relative_to(point) and len(point.parts) >= len(best.parts):
            best, kind = point, after.split(" ")[0]
    return kind


def is_network(kind: str) -> bool:
    """Tell whether a file system of this type is shared with other machines."""
    return bool(NETWORK_TYPES.match(kind))


def synced_by(folder: Path) -> str:
    """Return the sync tool whose folder this is, "" if none is known."""
    for part in folder.parts:
        for tool, pattern in SYNCED_PARTS:
            if pattern.match(part):
                return tool
    if any(
        (above / name).exists() for above in (folder, *folder.parents) for name in SYNCTHING_MARKERS
    ):
        return "Syncthing"
    return ""


def journal_for(folder: Path, kind: str | None = None) -> str:
    """Return the SQLite journal mode that is safe in `folder`: "wal" or "delete".

    The write-ahead log needs memory shared on one machine, and a sync tool that copies the
    database without it copies nothing.
    """
    kind = mount_type(folder) if kind is None else kind
    return "delete" if is_network(kind) or synced_by(folder) else "wal"
