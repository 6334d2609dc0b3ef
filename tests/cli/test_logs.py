"""Logs: rotated, without document text, and not flooded by one fault."""

from __future__ import annotations

import errno
import io
import json
import logging
from pathlib import Path

import pytest
import structlog

from vaultd.cli import logs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    logs.write_logs(tmp_path / "logs", terminal=False)
    return tmp_path / "logs"


def lines(folder: Path) -> list[dict[str, object]]:
    text = (folder / "vaultd.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_is_one_json_document(folder: Path) -> None:
    structlog.get_logger().info("page written", path="wiki/页.md", added=3)

    (line,) = lines(folder)

    assert (line["event"], line["path"], line["added"]) == ("page written", "wiki/页.md", 3)
    assert line["level"] == "info"
    assert str(line["timestamp"]).endswith("Z")


def test_document_text_and_keys_do_not_get_in(folder: Path) -> None:
    structlog.get_logger().info("call", text="secret words", api_key="sk-1", reason="x" * 5_000)

    written = (folder / "vaultd.log").read_text()

    assert "secret words" not in written
    assert "sk-1" not in written
    assert len(written) < 1_000


def test_a_line_for_which_there_is_no_space_is_lost_without_a_word(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(logging.FileHandler, "_open", lambda _: Full())

    structlog.get_logger().info("page written", path="a.md")

    assert capsys.readouterr() == ("", "")


def test_a_log_that_another_process_has_open_grows_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(source: str, target: str) -> None:
        raise PermissionError(errno.EACCES, "in use", source)

    (folder / "vaultd.log.1").write_text("older")
    (folder / "vaultd.log").write_text("x" * logs.FILE_BYTES)
    with monkeypatch.context() as windows:
        windows.setattr("logging.handlers.RotatingFileHandler.rotate", lambda _, *at: held(*at))
        for name in ("a.md", "b.md", "c.md"):
            structlog.get_logger().info("page written", path=name)

    text = (folder / "vaultd.log").read_text()
    assert all(name in text for name in ("a.md", "b.md", "c.md"))
    assert (folder / "vaultd.log.2").read_text() == "older"
    assert not (folder / "vaultd.log.3").exists()


def test_one_fault_again_and_again_is_one_line(folder: Path) -> None:
    log = structlog.get_logger()
    for _ in range(50):
        log.warning("disk full", path="a.md")
    log.warning("disk full", path="b.md")

    assert [line["path"] for line in lines(folder)] == ["a.md", "b.md"]


def test_a_fault_that_lasts_comes_back_with_its_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = structlog.get_logger()
    for _ in range(3):
        log.warning("disk full", path="a.md")
    monkeypatch.setattr(logs, "REPEAT_SECONDS", 0.0)

    log.warning("disk full", path="a.md")

    assert lines(folder)[-1]["repeated"] == 2


def test_the_files_together_stay_within_fifty_megabytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert logs.FILE_BYTES * (logs.FILES_KEPT + 1) <= 50_000_000

    monkeypatch.setattr(logs, "FILE_BYTES", 1_000)
    logs.write_logs(folder, terminal=False)
    for number in range(200):
        structlog.get_logger().info("page written", number=number)

    assert len(list(folder.iterdir())) == logs.FILES_KEPT + 1
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 5_000


def test_a_terminal_is_spared_what_is_done_for_every_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.write_logs(tmp_path / "logs", terminal=True)
    log = structlog.get_logger()

    log.info("file indexed", kind="index", path="a.md")
    log.warning("job did not succeed", kind="index", path="b.md")
    log.info("job ended", kind="ingest", subject="raw/c.md")

    told = capsys.readouterr().err
    assert "a.md" not in told
    assert "b.md" in told
    assert "c.md" in told
    assert len(lines(tmp_path / "logs")) == 3
