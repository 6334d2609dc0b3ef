from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.request_path import named_file, named_folder
from vaultd.errors import OutsideVaultError

CLIMBING = [
    "../x",
    "a/../../x",
    "/etc/passwd",
    "C:/x",
    "c:x",
    "\\\\host\\x",
    "a\\..\\x",
    "//host/x",
]
HIDDEN = [".obsidian/app.json", ".git/config", "a/.trash/b", ".llm-wiki/token", ".", "a/./b"]
UNREADABLE = ["", "a\0b", "a\nb", "a//b", "a/", "x" * 2_000, "é" * 200, "\ud800"]
pieces = st.sampled_from(
    ["..", ".", "a", "é", "%2e", "%252e", "%2f", "%5c", "%00", "/", "\\", ":", ".git"]
)


@pytest.mark.parametrize("path", [*CLIMBING, *HIDDEN, *UNREADABLE])
def test_what_leaves_the_vault_or_hides_is_refused_c5(path: str) -> None:
    with pytest.raises(OutsideVaultError):
        named_file(path)


@pytest.mark.parametrize("path", [*CLIMBING, *HIDDEN])
@pytest.mark.parametrize("rounds", [1, 2])
def test_so_is_what_does_so_after_decoding_c5(path: str, rounds: int) -> None:
    for _ in range(rounds):
        path = quote(path, safe="").replace(".", "%2e")

    with pytest.raises(OutsideVaultError):
        named_file(path)


@pytest.mark.parametrize(
    "path",
    ["raw/ml/Attention.pdf", "wiki/概念/注意力.md", "100%.md", "a b/50%25 off.md", "x..y.md"],
)
def test_ordinary_names_pass_as_they_are(path: str) -> None:
    assert named_file(path) == path


@pytest.mark.parametrize("path", ["", ".", "/", "./"])
def test_the_vault_itself_is_a_folder(path: str) -> None:
    assert named_folder(path) == "."


def test_a_folder_may_end_in_a_slash() -> None:
    assert named_folder("wiki/entities/") == "wiki/entities"


@given(st.lists(pieces, max_size=8).map("".join))
def test_nothing_that_passes_climbs_or_hides(path: str) -> None:
    try:
        passed = named_file(path)
    except OutsideVaultError:
        return

    names = passed.split("/")
    assert not any(name in ("", "..") or name.startswith(".") for name in names)
