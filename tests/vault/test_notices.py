from __future__ import annotations

import errno
import threading
import time
from pathlib import Path

import pytest

from vaultd.vault.notices import Notices


def rung(bell: threading.Event, within: float = 5.0) -> bool:
    heard = bell.wait(within)
    time.sleep(0.1)  # the rest of the burst
    bell.clear()
    return heard


@pytest.fixture
def bell() -> threading.Event:
    return threading.Event()


@pytest.fixture
def notices(tmp_path: Path, bell: threading.Event):  # type: ignore[no-untyped-def]
    (tmp_path / "raw").mkdir()
    (tmp_path / ".llm-wiki").mkdir()
    watching = Notices(tmp_path, bell.set)
    yield watching
    watching.stop()


def test_changes_ring_and_reads_do_not_w06(
    tmp_path: Path, notices: Notices, bell: threading.Event
) -> None:
    assert notices.keep_alive(0)
    file = tmp_path / "raw" / "a.md"
    file.write_text("x")
    assert rung(bell)

    file.read_text()
    (tmp_path / ".llm-wiki" / "vaultd.db-wal").write_text("x")
    (tmp_path / "raw" / ".vaultd-1.tmp").write_text("x")

    assert not rung(bell, 0.5)


def test_rename_over_a_note_rings_w16(
    tmp_path: Path, notices: Notices, bell: threading.Event
) -> None:
    notices.keep_alive(0)
    hidden = tmp_path / "raw" / ".editor"
    hidden.write_text("x")
    assert not rung(bell, 0.3)

    hidden.rename(tmp_path / "raw" / "a.md")

    assert rung(bell)


def test_dead_emitter_is_noticed_and_replaced_w02(
    tmp_path: Path, notices: Notices, bell: threading.Event
) -> None:
    notices.keep_alive(0)
    observer = notices._observer
    for emitter in observer.emitters:  # type: ignore[attr-defined]
        emitter.stop()
        emitter.join()
    assert observer.is_alive()  # type: ignore[attr-defined]

    assert notices.keep_alive(2)
    (tmp_path / "raw" / "a.md").write_text("x")
    assert rung(bell)


def test_new_top_folder_is_watched_from_the_next_look(
    tmp_path: Path, notices: Notices, bell: threading.Event
) -> None:
    notices.keep_alive(0)
    assert not notices.keep_alive(10)
    (tmp_path / "notes").mkdir()
    rung(bell)

    assert notices.keep_alive(20)
    (tmp_path / "notes" / "n.md").write_text("x")
    assert rung(bell)


class BrokenObserver:
    """An observer that cannot start."""

    def __init__(self, code: int) -> None:
        self.code = code

    def schedule(self, *_: object, **__: object) -> None:
        raise OSError(self.code, "no")

    def unschedule_all(self) -> None:
        self.code = 0


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE])
def test_watch_limit_means_polling_and_one_hint_w21(tmp_path: Path, code: int) -> None:
    notices = Notices(tmp_path, lambda: None, lambda: BrokenObserver(code))

    assert not notices.keep_alive(0)

    assert notices.polling
    assert "max_user_watches" in notices.problem


def test_broken_watch_is_tried_again_less_and_less(tmp_path: Path) -> None:
    tries: list[None] = []

    def start() -> BrokenObserver:
        tries.append(None)
        return BrokenObserver(errno.EIO)

    notices = Notices(tmp_path, lambda: None, start)
    for second in range(300):
        notices.keep_alive(float(second))

    assert 7 <= len(tries) <= 11  # 1, 2, 4, … 60 s apart
    assert not notices.polling
