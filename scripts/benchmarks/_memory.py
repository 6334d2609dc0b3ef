"""What the daemon's parts hold together: run as a process of its own over a database.

Prints the resident megabytes of this process (everything a daemon loads, the vectors in memory,
some questions answered), of the embedder's and of the idle converter's.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import structlog

from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.extract import Converter
from vaultd.model.search import Question
from vaultd.search import SearchEngine
from vaultd.store.database import Database

SAMPLE = Path(__file__).parent.parent / "sample" / "Temperature and fermentation.pdf"


async def main(database: Path) -> None:
    """Do what a daemon does between two documents, and print what is held."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    importlib.import_module("vaultd.daemon.run")
    db, embedder, converter = Database(database), BuiltinEmbedder(), Converter()
    engine = SearchEngine(db, [embedder], vault_name="bench")
    await engine.warm()
    await converter.convert(SAMPLE, pictures=True)
    for words in ("bara bena muke", "biku banu", "a question of more common words"):
        await engine.search(Question(words))
    print(json.dumps(_resident()))
    await embedder.close()
    await converter.close()
    db.close()


def _resident() -> dict[str, float]:
    table = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True
    ).stdout
    found = {"embedder": 0.0, "converter": 0.0, "daemon": 0.0}
    for line in table.splitlines():
        pid, parent, kilobytes, command = line.split(None, 3)
        if int(pid) == os.getpid():
            found["daemon"] += int(kilobytes) / 1000
        elif int(parent) == os.getpid() and "vaultd.embed" in command:
            found["embedder"] += int(kilobytes) / 1000
        elif int(parent) == os.getpid() and "vaultd.extract" in command:
            found["converter"] += int(kilobytes) / 1000
    return found


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
