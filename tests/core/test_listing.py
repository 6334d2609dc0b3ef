"""The index, the log, and which old versions are kept."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from vaultd.core.history import versions_to_drop
from vaultd.core.listing import index_body, index_text, is_page, log_text
from vaultd.core.region import RegionError
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef


def ref(path: str, title: str, kind: str, abstract: str = "") -> PageRef:
    return PageRef(VaultPath(path), title, kind, abstract)


PAGES = [
    ref("wiki/concepts/B.md", "b | [x]", "concept", "Long words. " * 20),
    ref("wiki/concepts/A.md", "A", "concept"),
    ref("wiki/sources/S.md", "S", "source", "About `S`."),
    ref("wiki/recipes/R.md", "R", "recipe"),
    ref("wiki/concepts/Own.md", "Own", ""),
]


def test_index_lists_every_page_by_kind_and_title() -> None:
    assert index_body(PAGES) == (
        "## Sources\n\n- [[wiki/sources/S|S]]: About S.\n\n"
        "## Concepts\n\n- [[wiki/concepts/A|A]]\n- [[wiki/concepts/B|b x]]: "
        + ("Long words. " * 10).strip()
        + "\n\n## Recipe\n\n- [[wiki/recipes/R|R]]\n\n## Notes\n\n- [[wiki/concepts/Own|Own]]"
    )


def test_marks_of_notes_are_no_numbers_in_the_index() -> None:
    page = ref("wiki/concepts/A.md", "A", "concept", "Largest as of 2023.[12] See [[B]] and [C].")

    assert index_body([page]).endswith("|A]]: Largest as of 2023. See B and C.")


def test_persons_text_and_lines_in_the_index_stay() -> None:
    first, base = index_text("# Mine\n\nHello.\n", None, PAGES[:2])
    assert first.startswith("# Mine\n\nHello.\n\n%% vaultd:begin index ")
    assert index_text(first, base, PAGES[:2])[0] == first
    edited = first.replace("- [[wiki/concepts/A|A]]\n", "- [[wiki/concepts/A|A]]\n- my line\n")
    second, base = index_text(edited, base, PAGES)
    assert "- my line\n" in second
    assert "[[wiki/sources/S|S]]" in second
    assert index_text(edited, None, PAGES)[0] == edited


def test_index_region_taken_away_stays_away_and_broken_markers_stop_us() -> None:
    first, base = index_text(None, None, PAGES)
    assert index_text("# Mine\n", base, PAGES)[0] == "# Mine\n"
    with pytest.raises(RegionError):
        index_text(first.replace("%% vaultd:end", "%% end"), base, PAGES)


def test_log_is_only_added_to() -> None:
    first = log_text(None, "A\nreport", date(2026, 11, 29))
    assert first == "# Log\n\n## [2026-11-29] ingest | A report\n"
    second = log_text("Mine\r\nwithout end", "B", date(2026, 11, 30), "forget")
    assert second == "Mine\r\nwithout end\r\n\r\n## [2026-11-30] forget | B\r\n"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("wiki/concepts/A.md", True),
        ("wiki/index.md", False),
        ("wiki/Log.md", False),
        ("wiki/concepts/concepts.md", False),
        ("wiki/reviews/x.md", False),
        ("wiki/media/x/a.md", False),
        ("notes/A.md", False),
        ("wiki/A.png", False),
    ],
)
def test_listings_folder_notes_and_reviews_are_no_pages(path: str, page: bool) -> None:
    assert is_page(VaultPath(path)) is page


def test_old_versions_thin_out_and_the_oldest_stays() -> None:
    now = datetime(2026, 11, 29, 12, tzinfo=UTC)
    hourly = [now - timedelta(hours=hours) for hours in range(24 * 400)]
    dropped = set(versions_to_drop(hourly, now))
    kept = [when for when in hourly if when not in dropped]
    assert all(when in kept for when in hourly[: 24 * 7])
    assert hourly[-1] in kept
    assert 168 + 83 + 39 < len(kept) < 168 + 83 + 39 + 12
    assert versions_to_drop(kept, now) == []
    assert versions_to_drop([], now) == []
