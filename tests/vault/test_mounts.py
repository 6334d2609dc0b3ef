from __future__ import annotations

from pathlib import Path

import pytest

from vaultd.vault.mounts import is_network, journal_for, mount_type, synced_by

TABLE = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:50 / /mnt/nas rw - nfs4 nas:/x rw
41 22 0:51 / /mnt/my\\040disk rw - fuse.sshfs host: rw
42 40 0:52 / /mnt/nas/local rw - ext4 /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/kim/vault", "ext4"),
        ("/mnt/nas/vault", "nfs4"),
        ("/mnt/nas/local/vault", "ext4"),
        ("/mnt/my disk/vault", "fuse.sshfs"),
        ("/mnt/nasty", "ext4"),
    ],
)
def test_mount_type_is_that_of_the_nearest_mount(folder: str, kind: str) -> None:
    assert mount_type(Path(folder), TABLE) == kind


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "drvfs", "fuse.rclone", "vboxsf"]
)
def test_no_wal_and_no_notices_on_shared_disks_s17(kind: str) -> None:
    assert is_network(kind)
    assert journal_for(Path("/x"), kind) == "delete"


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "apfs", "xfs", "overlay", "tmpfs", ""])
def test_local_disks_use_wal(kind: str) -> None:
    assert not is_network(kind)
    assert journal_for(Path("/x"), kind) == "wal"


def test_synced_folders_are_known_s18(tmp_path: Path) -> None:
    assert synced_by(Path("/home/kim/Dropbox/vault")) == "Dropbox"
    assert synced_by(Path("/Users/kim/Library/Mobile Documents/iCloud~md~obsidian/x")) == "iCloud"
    (tmp_path / ".stfolder").mkdir()
    assert synced_by(tmp_path / "vault") == "Syncthing"
    assert journal_for(tmp_path / "vault", "ext4") == "delete"
