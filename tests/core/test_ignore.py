"""Rules about files: fast, and exactly those of gitignore."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from vaultd.core.ignore import Patterns

PIECES = st.sampled_from(
    ["a", "b.md", "draft", "-", ".", "*", "**", "?", "/", "[ab]", "[!a]", "[", "\\", "!", " ", "#"]
)
RULES = st.lists(st.lists(PIECES, min_size=1, max_size=5).map("".join), max_size=4)
PATHS = st.lists(
    st.sampled_from(["a", "b", "b.md", "draft-a.md", "a.draft.md", "a b", "[", "!a", "#a", "-"]),
    min_size=1,
    max_size=4,
).map("/".join)


@given(rules=RULES, path=PATHS)
def test_a_path_is_matched_as_gitignore_matches_it(rules: list[str], path: str) -> None:
    lines = [rule for rule in rules if rule.strip() and not rule.lstrip().startswith("#")]
    try:
        wanted = GitIgnoreSpec.from_lines(lines).match_file(path)
    except ValueError:  # no rule at all
        return

    assert (path in Patterns(rules)) == wanted


def test_rules_without_a_literal_part_are_matched() -> None:
    assert "raw/ab.md" in Patterns(["??.md"])
    assert "raw/b" in Patterns(["[!a]"])
    assert "raw/ab.md" not in Patterns(["!ab.md"])
