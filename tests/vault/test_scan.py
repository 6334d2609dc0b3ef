from __future__ import annotations

import hashlib
import os
import socket
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from vaultd.core.ignore import DEFAULT_EXCLUDE, DEFAULT_INCLUDE, Fate
from vaultd.errors import OutsideVaultError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault
from vaultd.vault.scan import Sighting, look_of, read_content, rules_of, scan


def put(vault: Vault, path: str, content: bytes = b"content") -> Path:
    place = vault.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


def sighted(vault: Vault) -> dict[str, Sighting]:
    rules = rules_of(
        vault, include=DEFAULT_INCLUDE, exclude=DEFAULT_EXCLUDE, max_bytes=10 * 1024 * 1024
    )
    return {each.path: each for each in scan(vault, rules)}


def test_on_windows_an_open_file_looks_as_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"st_size": 3, "st_mtime_ns": 2, "st_ctime_ns": 1}
    listed, opened = SimpleNamespace(**facts, st_ino=0), SimpleNamespace(**facts, st_ino=7)
    monkeypatch.setattr("vaultd.vault.scan.WINDOWS", True)

    assert look_of(listed) == look_of(opened)  # type: ignore[arg-type]


def test_sources_and_notes_are_told_apart(vault: Vault) -> None:
    for path in ("raw/a.pdf", "raw/ml/b.md", "note.md", "wiki/concepts/c.md", "attachment.png"):
        put(vault, path)

    found = {path: each.fate for path, each in sighted(vault).items()}

    assert found == {
        "raw/a.pdf": Fate.SOURCE,
        "raw/ml/b.md": Fate.SOURCE,
        "note.md": Fate.NOTE,
        "wiki/concepts/c.md": Fate.NOTE,
    }


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("raw/x.exe", "excluded"),
        ("raw/x.xyz", "unsupported"),
        ("raw/noending", "unsupported"),
        ("raw/x.pdf.part", "leftover"),
        ("raw/x.pdf.crdownload", "leftover"),
        ("raw/~$report.docx", "leftover"),
        ("raw/.~lock.report.odt#", "leftover"),
        ("raw/.syncthing.x.pdf.tmp", "leftover"),
        ("raw/desktop.ini", "leftover"),
        ("raw/.DS_Store", "leftover"),
        ("raw/note.sync-conflict-20250101-000000-ABCDEFG.md", "conflict"),
        ("raw/Note (Kim's conflicted copy 2025-01-01).md", "conflict"),
        ("raw/plan.draft.md", "excluded"),
        ("raw/node_modules/x.md", "excluded"),
    ],
)
def test_file_not_taken_says_why_w23(vault: Vault, path: str, code: str) -> None:
    put(vault, path)

    seen = sighted(vault)[path]

    assert (seen.fate, seen.code) == (Fate.SKIPPED, code)
    assert seen.reason


def test_conflict_copies_of_notes_are_listed_not_read_w23(vault: Vault) -> None:
    put(vault, "wiki/concepts/A.sync-conflict-20250101-000000-ABCDEFG.md")
    put(vault, "note (Conflicted copy laptop 202501011200).md")

    assert {each.fate for each in sighted(vault).values()} == {Fate.CONFLICT}


def test_hidden_template_and_ignored_folders_are_not_entered(vault: Vault) -> None:
    put(vault, ".obsidian/templates.json", b'{"folder": "Templates"}')
    put(vault, ".vaultdignore", b"# mine\nprivate/\n*.secret.md\n!keep.secret.md\n")
    for path in ("Templates/day.md", ".trash/x.md", "private/x.md", "x.secret.md", "@eaDir/y.md"):
        put(vault, path)
    put(vault, "keep.secret.md")
    put(vault, "raw/private/z.md")

    assert set(sighted(vault)) == {"keep.secret.md"}


def test_large_file_is_skipped_with_its_reason(vault: Vault) -> None:
    with put(vault, "raw/big.pdf").open("wb") as file:
        file.truncate(11 * 1024 * 1024)
        file.write(b"x")

    assert sighted(vault)["raw/big.pdf"].code == "too_large"


def test_placeholder_is_never_read_w25(vault: Vault) -> None:
    with put(vault, "raw/cloud.pdf").open("wb") as file:
        file.truncate(5000)
    put(vault, "raw/.Evicted.pdf.icloud")
    with put(vault, "note.md").open("wb") as file:
        file.truncate(5000)

    seen = sighted(vault)

    assert seen["raw/cloud.pdf"].code == "placeholder"
    assert seen["raw/Evicted.pdf"].code == "placeholder"
    assert seen["note.md"].code == "placeholder"
    assert all(each.fate not in (Fate.SOURCE, Fate.NOTE) for each in seen.values())


def test_oddities_are_skipped_and_nothing_hangs_w41(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("SENTINEL")
    (vault.root / "raw/link.md").symlink_to(outside)
    (vault.root / "raw/loop").symlink_to(vault.root / "raw")
    (vault.root / "linked.md").symlink_to(outside)
    os.mkfifo(vault.root / "raw/pipe.md")
    with socket.socket(socket.AF_UNIX) as box:
        box.bind(os.fsencode(vault.root / "raw/s.md"))
        seen = sighted(vault)

    assert seen["raw/link.md"].code == "link"
    assert seen["raw/loop"].code in ("link", "unsupported")
    assert seen["raw/pipe.md"].code == "special"
    assert seen["raw/s.md"].code == "special"
    assert all(each.fate not in (Fate.SOURCE, Fate.NOTE) for each in seen.values())


@pytest.mark.full
def test_ten_thousand_entries_with_oddities_are_seen_in_no_time_b12(vault: Vault) -> None:
    for number in range(9_000):
        folder = vault.root / f"raw/{number // 300}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text("x")
    for number in range(500):
        (vault.root / f"raw/{number}.md").symlink_to(vault.root / "raw")
        os.mkfifo(vault.root / f"raw/pipe {number}.md")

    began = time.process_time()
    seen = sighted(vault)

    assert time.process_time() - began < 5
    assert Counter(each.code for each in seen.values()) == {"": 9_000, "link": 500, "special": 500}


@pytest.mark.parametrize(
    "name",
    [
        "-rf.md",
        "a\nb.md",
        "dot. .md",
        "CON.md",
        "😀.md",
        "שלום.md",
        "\u00e9.md",
        "e\u0301.md",
        "x" * 252 + ".md",
    ],
)
def test_file_of_any_name_is_seen(vault: Vault, name: str) -> None:
    put(vault, f"raw/{name}")

    assert sighted(vault)[f"raw/{name}"].fate is Fate.SOURCE


def test_name_that_is_not_utf8_is_shown_and_skipped_w05(vault: Vault) -> None:
    put(vault, "raw/" + os.fsdecode(b"caf\xe9.md"))

    put(vault, "raw/" + os.fsdecode(b"d\xe9/x.md"))

    assert sighted(vault)["raw/caf\\xe9.md"].code == "bad_name"
    assert sighted(vault)["raw/d\\xe9/x.md"].code == "bad_name"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folder_that_may_not_be_read_is_blind_not_empty(vault: Vault) -> None:
    put(vault, "raw/locked/a.md").parent.chmod(0)

    seen = sighted(vault)

    (vault.root / "raw/locked").chmod(0o755)
    assert seen["raw/locked"].code == "blind"


def test_content_gives_hash_and_completeness_d39(vault: Vault) -> None:
    whole = b"%PDF-1.7\n" + b"x" * 5000 + b"\nstartxref\n1\n%%EOF\n"
    put(vault, "raw/whole.pdf", whole)
    put(vault, "raw/half.pdf", whole[:3000])
    put(vault, "raw/zeros.pdf", whole[:3000] + bytes(len(whole) - 3000))
    put(vault, "raw/half.docx", b"PK\x03\x04" + b"x" * 100)
    put(vault, "raw/whole.docx", b"PK\x03\x04" + b"x" * 100 + b"PK\x05\x06" + bytes(18))

    def look(path: str) -> tuple[str, bool]:
        content = read_content(vault, VaultPath(path), lambda: False)
        assert content is not None
        return content.sha256, content.complete

    assert look("raw/whole.pdf") == (hashlib.sha256(whole).hexdigest(), True)
    assert not look("raw/half.pdf")[1]
    assert not look("raw/zeros.pdf")[1]
    assert not look("raw/half.docx")[1]
    assert look("raw/whole.docx")[1]
    assert read_content(vault, VaultPath("raw/gone.pdf"), lambda: False) is None


def test_link_put_in_place_of_a_file_gives_nothing_away_w41(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("SENTINEL")
    (vault.root / "raw/a.txt").symlink_to(outside)

    with pytest.raises((OutsideVaultError, OSError)):
        read_content(vault, VaultPath("raw/a.txt"), lambda: False)


def test_a_link_to_a_folder_is_called_a_link(vault: Vault, tmp_path: Path) -> None:
    (vault.root / "raw/papers").symlink_to(tmp_path)

    assert sighted(vault)["raw/papers"].reason.startswith("a link")
