from __future__ import annotations

import pytest

from vaultd.core.repeat import cited_for, repeats, squeezed

SENTENCE = "The cat sat on the mat and looked at the moon for a long time."
OTHER = "Dogs like bones and long walks in the rain, whatever the weather."


@pytest.mark.parametrize(
    ("shown", "text", "same"),
    [
        (SENTENCE, f"{OTHER} {SENTENCE} {OTHER}", True),
        (f"…{SENTENCE[8:]} p. 3 {SENTENCE[:20]}…", f"{SENTENCE} {SENTENCE}", True),
        (f"The **cat** sat on the mat and {SENTENCE[24:]}", SENTENCE, True),
        (SENTENCE, OTHER, False),
        (f"{SENTENCE} {OTHER}", SENTENCE, False),
        ("向量缓存的策略很重要，系统要重跑", "他说：向量缓存的策略很重要，系统要重跑。", True),
        ("moon", "The moon.", True),
        ("", "anything", False),
        ("…", "anything", False),
    ],
)  # fmt: skip
def test_what_is_shown_is_known_again_where_it_is_quoted(shown: str, text: str, same: bool) -> None:
    assert repeats(squeezed(shown), squeezed(text)) == same


def test_only_the_citations_of_what_is_shown_are_named() -> None:
    text = (
        f"- {SENTENCE} [[raw/a.pdf#page=1|p. 1]]\n"
        f"- {OTHER} [[raw/a.pdf#page=7|p. 7]] [[raw/b.html|Rain]]\n- See [[wiki/Cat|Cat]].\n"
    )

    assert [(one.source, one.page) for one in cited_for(squeezed(SENTENCE), text)] == [
        ("raw/a.pdf", 1)
    ]
    assert [(one.source, one.page) for one in cited_for(squeezed(f"{OTHER[5:]} p. 7"), text)] == [
        ("raw/a.pdf", 7),
        ("raw/b.html", None),
    ]
    assert cited_for(squeezed(OTHER), OTHER) == []
