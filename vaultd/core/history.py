"""Which old versions of a page are kept, by age."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

# Every version of the last week, then one a day for three months, one a week for a year, one
# a month after: about 150 versions in ten years of daily changes. The oldest is always kept.
STEPS = (
    (timedelta(days=7), "%Y-%m-%dT%H:%M:%S.%f"),
    (timedelta(days=90), "%Y-%m-%d"),
    (timedelta(days=365), "%G-%V"),
)
LAST_STEP = "%Y-%m"


def versions_to_drop(moments: Iterable[datetime], now: datetime) -> list[datetime]:
    """Return the moments of versions that are no longer kept, oldest first.

    Of several in one slot the newest stays: it is what the page was when the slot ended.
    """
    ordered = sorted(set(moments))
    kept: dict[str, datetime] = {}
    for when in ordered:
        kept[_slot(when, now - when)] = when
    stay = {*kept.values(), *ordered[:1]}
    return [when for when in ordered if when not in stay]


def _slot(when: datetime, age: timedelta) -> str:
    form = next((form for limit, form in STEPS if age <= limit), LAST_STEP)
    return f"{form}:{when.strftime(form)}"
