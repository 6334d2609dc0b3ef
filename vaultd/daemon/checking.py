"""The checks of `vaultd doctor`, with what is configured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vaultd import __version__
from vaultd.daemon.place import database_path
from vaultd.settings import Settings
from vaultd.upkeep.doctor import Check, Embedding, Model, Place, program_checks, vault_checks
from vaultd.vault.layout import machine_id


def checks_of_program(settings: Settings) -> Iterator[Check]:
    """Look at the program and at what it is configured to talk to. Blocking, for seconds."""
    meant, llm = settings.embedding, settings.llm
    embedding = Embedding(meant.provider, meant.model, meant.base_url, meant.api_key_env)
    model = Model(llm.model, llm.base_url, llm.api_key_env)
    yield from program_checks(__version__, embedding, model)


def checks_of_all(root: Path, state: Path, settings: Settings) -> Iterator[Check]:
    """Look at the program and at the vault; changes nothing. Blocking, for seconds."""
    yield from checks_of_program(settings)
    yield from vault_checks(
        Place(root, state, database_path(root, settings), machine_id(os.environ))
    )
