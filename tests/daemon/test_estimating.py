from __future__ import annotations

import hashlib

from vaultd.core.settle import FileStat
from vaultd.daemon.estimating import Taken, not_taken
from vaultd.model.paths import VaultPath
from vaultd.settings import IngestSettings
from vaultd.store.files import SOURCE, KnownFile
from vaultd.vault.files import Vault
from vaultd.vault.scan import Sighting, rules_of, scan

CAT = VaultPath("raw/cat.md")


def taken(sha256: str, stat: FileStat | None, *, ingested: str) -> Taken:
    return Taken({CAT: ingested}, {CAT: KnownFile(CAT, SOURCE, sha256, stat, None, 0)})


def listed(vault: Vault, known: Taken) -> list[str]:
    return [place.name for place in not_taken(vault, IngestSettings(), known)]


def seen(vault: Vault) -> Sighting:
    rules = rules_of(vault, include=(), exclude=(), max_bytes=10**6)
    return next(each for each in scan(vault, rules) if each.path == CAT)


def test_a_source_that_looks_as_before_is_not_read_again(vault: Vault) -> None:
    (vault.root / CAT).write_text("The cat.")
    stat = seen(vault).stat

    assert listed(vault, taken("the hash of that look", stat, ingested="another")) == ["cat.md"]
    assert not listed(vault, taken("the hash of that look", stat, ingested="the hash of that look"))


def test_a_source_that_looks_otherwise_is_compared_by_its_content(vault: Vault) -> None:
    (vault.root / CAT).write_text("The cat.")
    sha256 = hashlib.sha256(b"The cat.").hexdigest()
    before = seen(vault).stat._replace(mtime=1)

    assert not listed(vault, taken("", before, ingested=sha256))
    assert not listed(vault, taken("", None, ingested=sha256))
    assert listed(vault, taken(sha256, before, ingested="another")) == ["cat.md"]


def test_a_source_that_was_never_ingested_is_listed(vault: Vault) -> None:
    (vault.root / CAT).write_text("The cat.")

    assert listed(vault, Taken()) == ["cat.md"]
