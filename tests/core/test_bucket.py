import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.core.bucket import Bucket, arrange, leaves_of

NAMES = [f"note {number}" for number in range(1_000)]


def every_level(bucket: Bucket) -> list[Bucket]:
    return [bucket, *(deeper for part in bucket.parts for deeper in every_level(part))]


def test_few_children_are_one_bucket() -> None:
    assert arrange(["b", "a"], 50).parts == ()


@settings(max_examples=40)
@given(names=st.sets(st.text(max_size=8), max_size=300), limit=st.integers(2, 60))
def test_every_name_stands_in_one_leaf_and_no_level_is_too_wide(
    names: set[str], limit: int
) -> None:
    root = arrange(names, limit)

    held = [name for leaf in leaves_of(root) for name in leaf.names]
    assert sorted(held) == sorted(names)
    assert all(len(bucket.parts) <= limit for bucket in every_level(root))


@pytest.mark.parametrize("added", ["z", "新しい", "note 5000"])
def test_one_new_name_leaves_nearly_all_leaves_as_they_were(added: str) -> None:
    before = {leaf.names for leaf in leaves_of(arrange(NAMES, 50))}
    after = [leaf.names for leaf in leaves_of(arrange([*NAMES, added], 50))]

    unchanged = sum(1 for names in after if names in before)
    assert unchanged / len(after) >= 0.9
    assert len(after) - unchanged <= 2


def test_thousands_of_names_are_nested() -> None:
    root = arrange([f"n{number}" for number in range(3_201)], 50)

    assert all(part.parts for part in root.parts)
    assert all(0 < len(leaf.names) <= 50 for leaf in leaves_of(root))


def test_same_names_give_the_same_buckets_in_any_order() -> None:
    assert arrange(NAMES, 50) == arrange(reversed(NAMES), 50)


def test_limit_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two"):
        arrange(["a", "b"], 1)
