from __future__ import annotations

import errno
import itertools
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FailingDisk, RecordingDisk
from vaultd.errors import (
    DiskFullError,
    OutsideVaultError,
    PageChangedError,
    PermanentError,
    TransientError,
    VaultdError,
)
from vaultd.model.paths import VaultPath
from vaultd.vault.disk import TEMP_PREFIX, Disk, low_space
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

PAGE = VaultPath("wiki/concepts/Attention.md")
OLD, NEW = b"old text\n" * 50, b"new text\n" * 70


def vault_at(folder: Path, disk: Disk | None = None) -> Vault:
    root = folder / "vault"
    root.mkdir(exist_ok=True)
    return Vault(root, make_layout(root), disk)


def temps(vault: Vault) -> list[Path]:
    return [path for path in vault.root.rglob(f"{TEMP_PREFIX}*")]


def test_written_bytes_are_read_back(vault: Vault) -> None:
    assert vault.read(PAGE) is None
    assert vault.write(PAGE, OLD, expect=None)

    assert vault.read(PAGE) == OLD
    assert vault.write(PAGE, NEW, expect=OLD)
    assert vault.read(PAGE) == NEW


def test_equal_bytes_are_not_written_again(vault: Vault) -> None:
    vault.write(PAGE, OLD, expect=None)

    def look() -> tuple[int, ...]:
        about = vault.locate(PAGE).stat()  # reading it may change its access time
        return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns

    before = look()

    assert not vault.write(PAGE, OLD, expect=b"whatever")
    assert look() == before


def test_save_by_a_person_wins_f26(vault: Vault) -> None:
    vault.write(PAGE, OLD, expect=None)
    vault.locate(PAGE).write_bytes(b"a person's")

    with pytest.raises(PageChangedError):
        vault.write(PAGE, NEW, expect=OLD)

    assert vault.read(PAGE) == b"a person's"
    assert temps(vault) == []


def test_page_made_by_a_person_is_not_replaced(vault: Vault) -> None:
    vault.locate(PAGE).write_bytes(b"a person's")

    with pytest.raises(PageChangedError):
        vault.write(PAGE, NEW, expect=None)

    assert vault.read(PAGE) == b"a person's"


def test_permissions_are_kept(vault: Vault) -> None:
    vault.write(PAGE, OLD, expect=None)
    vault.locate(PAGE).chmod(0o640)

    vault.write(PAGE, NEW, expect=OLD)

    assert vault.locate(PAGE).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("expect", [None, OLD])
def test_order_of_a_durable_write_f32(tmp_path: Path, expect: bytes | None) -> None:
    vault = vault_at(tmp_path)
    if expect:
        vault.write(PAGE, expect, expect=None)
    vault.disk = disk = RecordingDisk()

    vault.write(PAGE, NEW, expect=expect)

    swap = "exchange" if expect else "link"
    assert disk.names() == ["open", "write", "fsync", swap, "unlink", "sync_folder"]
    assert Path(disk.log[0][1]).parent == vault.locate(PAGE).parent
    assert Path(disk.log[0][1]).name.startswith(TEMP_PREFIX)


class PlainDisk(RecordingDisk):
    """A disk that knows neither exchange nor hard links, as some network disks do."""

    def exchange(self, one: Path, other: Path) -> bool:
        return False

    def link_new(self, old: Path, new: Path) -> bool:
        return False


def test_disk_without_links_replaces_after_comparing(tmp_path: Path) -> None:
    disk = PlainDisk()
    vault = vault_at(tmp_path, disk)

    vault.write(PAGE, OLD, expect=None)
    vault.write(PAGE, NEW, expect=OLD)

    assert disk.names()[-5:] == ["open", "write", "fsync", "replace", "sync_folder"]
    assert vault.read(PAGE) == NEW
    assert temps(vault) == []


class LastInstantDisk(Disk):
    """A disk on which a person saves between our comparison and our replacement."""

    def exchange(self, one: Path, other: Path) -> bool:
        if other.read_bytes() == OLD:
            beside = other.with_name("editor.md")
            beside.write_bytes(b"a person's")
            beside.replace(other)
        return super().exchange(one, other)


def test_save_in_the_last_instant_wins(tmp_path: Path) -> None:
    vault = vault_at(tmp_path, LastInstantDisk())
    vault.locate(PAGE).write_bytes(OLD)

    with pytest.raises(PageChangedError):
        vault.write(PAGE, NEW, expect=OLD)

    assert vault.read(PAGE) == b"a person's"
    assert temps(vault) == []


def _race(vault: Vault, edits: int) -> bytes:
    """Let an editor save its growing text (temp and rename) while we count a first line up."""
    page = vault.locate(PAGE)
    page.write_bytes(b"0\n")
    over = threading.Event()

    def person() -> None:
        mine = b""
        for number in range(edits):
            mine += b"edit %d\n" % number
            text = page.read_bytes().partition(b"\n")[0] + b"\n" + mine
            beside = page.with_name("editor.tmp")
            beside.write_bytes(text)
            beside.replace(page)
        over.set()

    writer = threading.Thread(target=person)
    writer.start()
    while not over.is_set():
        current = vault.read(PAGE)
        assert current is not None
        first, _, rest = current.partition(b"\n")
        try:
            vault.write(PAGE, b"%d\n%s" % (int(first) + 1, rest), expect=current)
        except PageChangedError:
            continue
    writer.join()
    return page.read_bytes()


def test_racing_edits_are_never_lost(tmp_path: Path) -> None:
    edits = 500
    text = _race(vault_at(tmp_path), edits)

    assert [line for line in text.splitlines() if line.startswith(b"edit")] == [
        b"edit %d" % number for number in range(edits)
    ]


REACTIONS: dict[int, type[VaultdError]] = {
    errno.ENOSPC: DiskFullError,
    errno.EDQUOT: DiskFullError,
    errno.EIO: TransientError,
    errno.EBUSY: TransientError,
    errno.ESTALE: TransientError,
    errno.EDEADLK: TransientError,
    errno.EMFILE: TransientError,
    errno.EROFS: PermanentError,
    errno.EACCES: PermanentError,
}


@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("code", REACTIONS)
def test_fault_at_any_disk_call_leaves_the_page_whole_w15(
    tmp_path: Path, code: int, forever: bool
) -> None:
    for fail_at in itertools.count(1):
        vault = vault_at(tmp_path)
        vault.locate(PAGE).write_bytes(OLD)
        disk = FailingDisk(fail_at, OSError(code, os.strerror(code)), forever=forever)
        vault.disk = disk
        try:
            vault.write(PAGE, NEW, expect=OLD)
        except REACTIONS[code]:
            assert disk.failed
        assert vault.locate(PAGE).read_bytes() in (OLD, NEW)
        vault.disk = Disk()
        vault.sweep()
        assert temps(vault) == []
        vault.write(PAGE, NEW, expect=vault.read(PAGE))  # it resumes
        if not disk.failed:
            break


def test_short_writes_are_continued(tmp_path: Path) -> None:
    class ShortDisk(Disk):
        def write(self, descriptor: int, content: memoryview) -> int:
            return super().write(descriptor, content[:7])

    vault = vault_at(tmp_path, ShortDisk())
    vault.write(PAGE, NEW, expect=None)

    assert vault.read(PAGE) == NEW


@pytest.mark.parametrize("winerror", [5, 32, 33])
def test_file_held_by_a_scanner_is_tried_for_a_while_f31(tmp_path: Path, winerror: int) -> None:
    class HeldDisk(PlainDisk):
        refusals = 3

        def replace(self, old: Path, new: Path) -> None:
            if self.refusals:
                self.refusals -= 1
                error = PermissionError(errno.EACCES, "held")
                error.winerror = winerror  # type: ignore[attr-defined]
                raise error
            super().replace(old, new)

    disk = HeldDisk()
    vault = vault_at(tmp_path, disk)
    vault.write(PAGE, NEW, expect=None)

    assert vault.read(PAGE) == NEW
    assert disk.names().count("sleep") == 3


def states_of_power_cut(log: list[str], old: bytes, new: bytes) -> set[bytes | None]:
    """Return every content the page can have when the power goes at any point of `log`.

    Until its fsync the new file may hold nothing, half of its bytes, or zeros; until the
    folder's fsync each change of a name may be lost, the other one not.
    """
    found: set[bytes | None] = set()
    for end in range(len(log) + 1):
        done = log[:end]
        synced = "fsync" in done
        contents = [new] if synced else [b"", new[: len(new) // 2], bytes(len(new)), new]
        changes = [name for name in done if name in ("open", "exchange", "replace", "unlink")]
        lasting = "sync_folder" in done
        for kept in itertools.product([True, False], repeat=len(changes)):
            if lasting and not all(kept):
                continue
            applied = [name for name, keep in zip(changes, kept, strict=True) if keep]
            swapped = "exchange" in applied or "replace" in applied
            found.update(contents if swapped and "open" in applied else [old])
    return found


@pytest.mark.parametrize("disk", [RecordingDisk(), PlainDisk()])
def test_power_cut_leaves_the_old_page_or_the_new_one(tmp_path: Path, disk: RecordingDisk) -> None:
    vault = vault_at(tmp_path)
    vault.write(PAGE, OLD, expect=None)
    vault.disk = disk
    vault.write(PAGE, NEW, expect=OLD)

    assert states_of_power_cut(disk.names(), OLD, NEW) == {OLD, NEW}
    without_fsync = [name for name in disk.names() if name != "fsync"]
    assert states_of_power_cut(without_fsync, OLD, NEW) != {OLD, NEW}


def test_leftovers_of_a_dead_process_are_swept_w24(vault: Vault) -> None:
    leftover = vault.root / "wiki" / "concepts" / f"{TEMP_PREFIX}abc.tmp"
    leftover.write_bytes(b"half")
    theirs = vault.root / "wiki" / "a.tmp"
    theirs.write_bytes(b"a person's")

    assert vault.sweep() == 1
    assert not leftover.exists()
    assert theirs.exists()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x.md",
        "wiki/../../x.md",
        ".obsidian/app.json",
        "wiki/.hidden.md",
        "a\0b",
    ],
)
def test_paths_that_leave_the_vault_are_refused(vault: Vault, path: str) -> None:
    with pytest.raises(OutsideVaultError):
        vault.read(VaultPath(path))
    with pytest.raises(OutsideVaultError):
        vault.write(VaultPath(path), b"x", expect=None)


def test_links_out_of_the_vault_are_refused_w41(vault: Vault, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_bytes(b"SENTINEL")
    (vault.root / "raw" / "link.txt").symlink_to(secret)
    (vault.root / "raw" / "folder").symlink_to(tmp_path)
    (vault.root / "raw" / "loop").symlink_to(vault.root / "raw" / "loop")

    for path in ("raw/link.txt", "raw/folder/secret.txt", "raw/loop/x.txt"):
        with pytest.raises(OutsideVaultError):
            vault.read(VaultPath(path))
        with pytest.raises(OutsideVaultError):
            vault.write(VaultPath(path), b"x", expect=None)
    assert secret.read_bytes() == b"SENTINEL"


def test_vault_behind_a_link_works_w38(tmp_path: Path) -> None:
    vault_at(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    vault = Vault(tmp_path / "link", tmp_path / "link" / ".llm-wiki")

    vault.write(PAGE, OLD, expect=None)

    assert vault.read(PAGE) == OLD


def test_pipe_is_refused_without_hanging(vault: Vault) -> None:
    os.mkfifo(vault.root / "raw" / "pipe.txt")

    with pytest.raises(PermanentError):
        vault.read(VaultPath("raw/pipe.txt"))


def test_target_that_is_a_folder_is_left_alone(vault: Vault) -> None:
    (vault.root / "wiki" / "x.md").mkdir()

    with pytest.raises(VaultdError):
        vault.write(VaultPath("wiki/x.md"), b"x", expect=None)


def test_trashed_file_is_kept(vault: Vault) -> None:
    vault.write(PAGE, OLD, expect=None)
    kept = vault.trash(PAGE, expect=OLD)
    vault.write(PAGE, NEW, expect=None)
    second = vault.trash(PAGE, expect=NEW)

    assert vault.read(PAGE) is None
    assert kept is not None
    assert kept.read_bytes() == OLD
    assert second is not None
    assert second.read_bytes() == NEW
    assert vault.trash(PAGE, expect=NEW) is None


def test_a_place_in_the_trash_is_no_longer_than_windows_opens(vault: Vault) -> None:
    deep = "deep/" * ((200 - len(str(vault.root))) // 5)
    pages = [VaultPath(f"wiki/{deep}{'x' * 45} {number}.md") for number in range(2)]
    for page in pages:
        vault.write(page, page.encode(), expect=None)
        assert len(str(vault.locate(page))) < 260

    kept = [vault.trash(page, expect=page.encode()) for page in pages]

    assert [place.read_bytes() for place in kept if place] == [page.encode() for page in pages]
    assert all(len(str(place)) < 260 for place in kept)
    assert kept[0] == vault.state / "trash" / f"{'x' * 45} 0.md"


def test_file_a_person_changed_is_not_trashed(vault: Vault) -> None:
    vault.write(PAGE, OLD, expect=None)

    with pytest.raises(PageChangedError):
        vault.trash(PAGE, expect=NEW)
    assert vault.read(PAGE) == OLD


def test_move_does_not_replace_and_can_be_repeated(vault: Vault) -> None:
    other = VaultPath("wiki/entities/Attention.md")
    vault.write(PAGE, OLD, expect=None)
    vault.write(other, NEW, expect=None)

    with pytest.raises(PageChangedError):
        vault.move(PAGE, other)
    vault.trash(other, expect=NEW)
    vault.move(PAGE, other)
    vault.move(PAGE, other)

    assert vault.read(other) == OLD
    assert vault.read(PAGE) is None


NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=40
).filter(lambda name: not name.startswith("."))


@settings(max_examples=30, deadline=None)
@given(name=NAMES | st.sampled_from(["CON.md", "a b.", "-rf.md", "x\ny.md", "é.md", "é.md"]))
def test_any_file_name_is_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    vault = vault_at(tmp_path_factory.mktemp("names"))
    path = VaultPath(f"wiki/{name}")

    vault.write(path, NEW, expect=None)

    assert vault.read(path) == NEW


def test_state_files_are_written_whole(vault: Vault) -> None:
    vault.write_state("ingest-progress/x.json", b"{}", mode=0o600)

    assert vault.read_state("ingest-progress/x.json") == b"{}"
    assert vault.state_file("ingest-progress/x.json").stat().st_mode & 0o777 == 0o600
    with pytest.raises(OutsideVaultError):
        vault.state_file("../x")


def test_disk_with_space_is_not_low(tmp_path: Path) -> None:
    assert low_space(tmp_path) in (True, False)
