from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.reconcile import held_back, identity_of, pair_moves
from vaultd.model.paths import VaultPath

FILES = st.dictionaries(
    st.sampled_from([f"{f}/{n}" for f in "ab" for n in "xyz"]), st.sampled_from("123")
)


def test_renamed_and_moved_files_are_paired_by_content() -> None:
    gone = {"raw/a.pdf": "1", "raw/b.pdf": "2", "raw/c.pdf": "3"}
    arrived = {"raw/ml/a.pdf": "1", "raw/better.pdf": "2", "raw/new.pdf": "9"}

    assert pair_moves(gone, arrived) == {"raw/ml/a.pdf": "raw/a.pdf", "raw/better.pdf": "raw/b.pdf"}


def test_same_name_is_preferred_among_equal_contents() -> None:
    gone = {"a/1.md": "x", "a/2.md": "x"}

    assert pair_moves(gone, {"b/2.md": "x", "b/1.md": "x"}) == {
        "b/1.md": "a/1.md",
        "b/2.md": "a/2.md",
    }


@given(gone=FILES, arrived=FILES)
def test_every_file_is_paired_once_and_with_its_content(
    gone: dict[str, str], arrived: dict[str, str]
) -> None:
    pairs = pair_moves(gone, arrived)

    assert len(set(pairs.values())) == len(pairs)
    assert all(gone[old] == arrived[new] for new, old in pairs.items())
    unpaired = [arrived[new] for new in arrived if new not in pairs]
    left = [gone[old] for old in gone if old not in pairs.values()]
    assert not set(unpaired) & set(left)


def test_single_deletions_are_believed() -> None:
    known = [f"raw/{n}.pdf" for n in range(4)]

    assert held_back(known, known[:2], []) == frozenset()
    assert held_back(known[:1], known[:1], []) == frozenset()


def test_loss_of_most_files_is_held() -> None:
    known = [f"raw/{n}.pdf" for n in range(20)]

    assert held_back(known, known[:11], []) == frozenset(known[:11])
    assert held_back(known, known[:10], []) == frozenset()


def test_folder_that_is_there_and_empty_is_held() -> None:
    known = [f"raw/cloud/{n}.pdf" for n in range(5)] + [f"raw/{n}.pdf" for n in range(50)]
    missing = [*known[:5], "raw/1.pdf"]

    assert held_back(known, missing, ["raw/cloud"]) == frozenset(known[:5])
    assert held_back(known, missing, []) == frozenset()


def test_identity_is_the_path_below_raw_in_form_c() -> None:
    assert identity_of(VaultPath("raw/ml/cafe\u0301.pdf")) == "ml/caf\u00e9.pdf"
