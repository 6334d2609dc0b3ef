"""Versions of pages are kept under short names, and those of before are still found."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.fakes import NOON
from vaultd.core.names import PATH_LENGTH
from vaultd.model.paths import VaultPath
from vaultd.publish.history import (
    folder_of,
    keep_version,
    move_versions,
    thin_history,
    versions,
)
from vaultd.vault.files import Vault

HEAT, WARMTH = VaultPath("wiki/concepts/Heat.md"), VaultPath("wiki/physics/Warmth.md")
OF_BEFORE = "20260101T000000.000000Z.md"


def keep_as_before(vault: Vault, path: VaultPath, content: bytes, name: str = OF_BEFORE) -> None:
    vault.write_state(f"page-history/{path}/{name}", content)


def kept(vault: Vault, path: VaultPath) -> list[bytes | None]:
    return [vault.read_state(version.name) for version in versions(vault, path)]


@pytest.mark.parametrize(
    "path",
    [
        f"wiki/{'d' * 75}/{'n' * 76}.md",
        f"wiki/concepts/{'字' * 80}.md",
        "wiki/CON.md",
        "wiki/x/. .md",
        f"wiki/concepts/{'a ' * 70}.md",
    ],
)
def test_the_place_of_a_version_is_no_longer_than_that_of_a_page(vault: Vault, path: str) -> None:
    name = keep_version(vault, VaultPath(path), b"As it was.", NOON)
    again = keep_version(vault, VaultPath(path), b"As it was, too.", NOON)

    assert len(f".llm-wiki/vaultd/{again}") <= PATH_LENGTH
    assert len(name.split("/")) == 3
    assert kept(vault, VaultPath(path)) == [b"As it was.", b"As it was, too."]
    assert vault.read_state(f"{folder_of(VaultPath(path))}/page.txt") == f"{path}\n".encode()


def test_pages_whose_names_begin_alike_have_versions_of_their_own(vault: Vault) -> None:
    one, other = (VaultPath(f"wiki/concepts/{'Heat ' * 10}{end}.md") for end in "ab")
    keep_version(vault, one, b"One.", NOON)

    assert kept(vault, other) == []
    assert folder_of(VaultPath("wiki/E\u0301.md")) == folder_of(VaultPath("wiki/\u00e9.md"))


def test_versions_under_the_long_names_of_before_are_found_and_thinned(vault: Vault) -> None:
    keep_as_before(vault, HEAT, b"Long ago.")
    keep_as_before(vault, HEAT, b"A moment later.", OF_BEFORE.replace("000000Z", "000001Z"))
    keep_version(vault, HEAT, b"Of today.", NOON)

    assert kept(vault, HEAT) == [b"Of today.", b"A moment later.", b"Long ago."]
    assert thin_history(vault, NOON + timedelta(days=400)) == 0, "the oldest, the last of a slot"
    keep_as_before(vault, HEAT, b"And another.", OF_BEFORE.replace("000000Z", "000002Z"))
    assert thin_history(vault, NOON + timedelta(days=400)) == 1


@pytest.mark.parametrize("as_before", [False, True])
def test_versions_follow_their_page(vault: Vault, *, as_before: bool) -> None:
    if as_before:
        keep_as_before(vault, HEAT, b"Once.")
    else:
        keep_version(vault, HEAT, b"Once.", NOON)
    keep_version(vault, WARMTH, b"What was there.", NOON + timedelta(hours=1))

    move_versions(vault, HEAT, WARMTH)
    move_versions(vault, HEAT, WARMTH)

    assert kept(vault, WARMTH) == [b"What was there.", b"Once."]
    assert kept(vault, HEAT) == []
    assert not vault.state_file(folder_of(HEAT)).exists()


def test_a_page_whose_name_changes_its_case_keeps_its_versions(vault: Vault) -> None:
    keep_version(vault, HEAT, b"Once.", NOON)

    move_versions(vault, HEAT, VaultPath("wiki/concepts/HEAT.md"))

    assert kept(vault, VaultPath("wiki/concepts/HEAT.md")) == [b"Once."]


def test_a_move_that_was_cut_short_is_finished(vault: Vault) -> None:
    keep_version(vault, HEAT, b"Once.", NOON)
    keep_version(vault, WARMTH, b"Once.", NOON)  # copied, and not removed yet

    move_versions(vault, HEAT, WARMTH)

    assert kept(vault, WARMTH) == [b"Once."]
    assert kept(vault, HEAT) == []
