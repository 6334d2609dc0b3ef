"""Doctor finds what is wrong and says what helps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from vaultd.errors import DiskFullError
from vaultd.model.paths import VaultPath
from vaultd.store.database import Connection, Database
from vaultd.upkeep import doctor
from vaultd.upkeep.doctor import Check, Embedding, Model, Place, program_checks, vault_checks
from vaultd.vault.files import Vault
from vaultd.vault.lock import VaultLock

OFFLINE = Model("")


def looked_at(vault: Vault, *, machine: str = "here") -> dict[str, Check]:
    place = Place(vault.root, vault.state, vault.state / "vaultd.db", machine)
    return {check.name: check for check in vault_checks(place)}


def make_database(vault: Vault, change: Callable[[Connection], object] | None = None) -> Path:
    path = vault.state / "vaultd.db"
    db = Database(path)
    if change is not None:
        db.run_sync(change)
    db.close()
    return path


def test_a_sound_vault_has_nothing_to_be_repaired(vault: Vault) -> None:
    make_database(vault)

    found = looked_at(vault)

    assert {check.state for name, check in found.items() if name not in ("place", "disk")} == {"ok"}


def test_the_program_needs_no_vault() -> None:
    found = {check.name: check for check in program_checks("1.0", Embedding("builtin"), OFFLINE)}

    assert "vaultd 1.0" in found["versions"].text
    assert found["author"].state == "ok"


@pytest.mark.parametrize(
    ("model", "words", "remedy"),
    [
        (Model("m", "", "VAULTD_TEST_NO_KEY"), "not set", "Set VAULTD_TEST_NO_KEY"),
        (Model("m", "http://127.0.0.1:9", "X"), "does not answer", "Start the server"),
        (Model("m", "ftp://here", "X"), "no address", "http://"),
    ],
)
def test_a_model_that_cannot_be_reached_is_a_fault_with_a_remedy(
    model: Model, words: str, remedy: str
) -> None:
    found = {check.name: check for check in program_checks("1.0", Embedding("none"), model)}

    assert found["author"].state == "failed"
    assert words in found["author"].text
    assert remedy in found["author"].remedy


@pytest.fixture
def answering() -> Iterator[Callable[[int, str], str]]:
    """Start a server that gives one answer; return its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(code: int, body: str) -> str:
        class Always(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(code)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Always))
        threading.Thread(target=servers[-1].serve_forever, args=(0.01,)).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("code", "body", "state", "words"),
    [
        (200, '{"data": [{"id": "m"}, {"id": "n"}]}', "ok", "m: the endpoint answers."),
        (200, '{"data": []}', "ok", "the endpoint answers."),
        (200, '{"data": [{"id": "x.gguf", "owned_by": "llamacpp"}]}', "ok", "answers."),
        (200, '{"data": [{"id": "n"}]}', "warning", "does not list this model. It lists n."),
        (200, "<html>Welcome</html>", "failed", "not as the endpoint of a model. Correct"),
        (200, "[]", "failed", "not as the endpoint of a model. Correct"),
        (404, "", "ok", "lists no models (404)."),
        (401, "", "failed", "refuses the key ($X). Check the key"),
        (429, "", "warning", "asks to wait (429). Too many calls"),
        (502, "", "warning", "out of order (502). Look at the server"),
    ],
)
def test_what_answers_in_place_of_a_model_is_told(
    answering: Callable[[int, str], str], code: int, body: str, state: str, words: str
) -> None:
    model = Model("m", f"{answering(code, body)}/v1", "X")
    found = {each.name: each for each in program_checks("1.0", Embedding("none"), model)}

    assert found["author"].state == state
    assert words in f"{found['author'].text} {found['author'].remedy}"


def test_an_address_without_its_version_is_worth_a_look(
    answering: Callable[[int, str], str],
) -> None:
    model = Model("m", answering(404, ""), "X")
    found = {each.name: each for each in program_checks("1.0", Embedding("none"), model)}

    assert found["author"].state == "warning"
    assert "most end in /v1" in found["author"].remedy


def test_a_damaged_database_is_named_and_left_alone(vault: Vault) -> None:
    path = vault.state / "vaultd.db"
    path.write_bytes(b"not a database")

    check = looked_at(vault)["database"]

    assert check.state == "failed"
    assert "run --once" in check.remedy
    assert path.read_bytes() == b"not a database"


def test_a_full_disk_is_no_damage(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    make_database(vault)

    def full(path: Path) -> str:
        raise DiskFullError("The disk is full: nothing was stored.")

    monkeypatch.setattr(doctor, "damage", full)
    check = looked_at(vault)["database"]

    assert (check.state, check.text) == ("failed", "The disk is full: it cannot be opened.")
    assert "Free some space" in check.remedy


def test_a_newer_database_asks_for_a_newer_program_g5(vault: Vault) -> None:
    make_database(vault, lambda db: db.execute("pragma user_version = 9999"))

    check = looked_at(vault)["database"]

    assert check.state == "failed"
    assert "newer" in check.text


def test_words_that_lost_their_passages_ask_for_a_rebuild_s15(vault: Vault) -> None:
    make_database(
        vault, lambda db: db.execute("insert into passage_words (rowid, body) values (7, 'x')")
    )

    check = looked_at(vault)["database"]

    assert check.state == "failed"
    assert "vaultd rebuild" in check.remedy


def test_a_running_daemon_is_no_fault(vault: Vault) -> None:
    with VaultLock(vault.state):
        check = looked_at(vault)["lock"]

    assert check.state == "ok"
    assert "running" in check.text


def test_another_machine_that_writes_is_worth_a_look_w13(vault: Vault) -> None:
    vault.write(
        VaultPath("wiki/index.md"), b'---\nvaultd_writer: "there"\n---\n# Index\n', expect=None
    )

    check = looked_at(vault)["writer"]

    assert check.state == "warning"
    assert "take-over" in check.remedy


def test_too_few_watches_name_the_setting_w21(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "max_user_watches"
    limit.write_text("4\n")
    monkeypatch.setattr(doctor, "WATCHES", limit)

    check = looked_at(vault)["watches"]

    assert check.state == "warning"
    assert "fs.inotify.max_user_watches" in check.remedy


def test_a_synced_folder_is_worth_a_look_s18(tmp_path: Path) -> None:
    root = tmp_path / "Dropbox/vault"
    state = root / ".llm-wiki"
    state.mkdir(parents=True)

    check = looked_at(Vault(root, state))["place"]

    assert check.state == "warning"
    assert "state_dir" in check.remedy
