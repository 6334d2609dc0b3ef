"""What most tests need: a clock, a vault, a database, and the shared test material."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes import FakeClock
from tests.reliability.zygote import Zygote
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

# The same examples on every run, and no deadline: a busy machine is no fault of the code.
settings.register_profile("vaultd", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("vaultd")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def _own_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the id that names this machine in vaults out of the home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def clock() -> FakeClock:
    """A clock at noon that moves only when told to."""
    return FakeClock()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """An empty vault in a temporary folder."""
    root = tmp_path / "vault"
    root.mkdir()
    return Vault(root, make_layout(root))


@pytest.fixture
def db() -> Iterator[Database]:
    """A migrated database in memory."""
    database = Database(":memory:")
    yield database
    database.close()


@pytest.fixture
def shared() -> Path:
    """The folder of shared test material; without it the test is skipped."""
    folder = Path(os.environ.get("VAULTD_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared test material at {folder} (set VAULTD_SHARED)")
    return folder


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Starts the program again and again, its seconds of importing spent once."""
    with Zygote() as zygote:
        yield zygote
