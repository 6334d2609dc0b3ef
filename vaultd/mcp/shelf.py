"""What the tools read from: the running daemon if it answers, else the files and the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from vaultd.embed import Embedder
from vaultd.errors import DatabaseError, NotFoundError
from vaultd.search import SearchEngine
from vaultd.store.database import Connection, Database, schema_version
from vaultd.vault.files import Vault, is_there
from vaultd.vault.obsidian import excluded_files

P = ParamSpec("P")
T = TypeVar("T")

Ask = Callable[[str, str, Mapping[str, Any] | None], Any]
"""Asks the daemon: method, route, body; None if there is none to ask."""
Told = Callable[[], Mapping[str, Any]]

NOT_MADE = "Nothing is indexed yet: run `vaultd run` or `vaultd run --once` first."


class Shelf:
    """One vault, opened to be read. Blocking questions go to threads.

    `status` gives the document of the command of that name, without its files, by whatever way.
    The database is opened at the first question that needs it, read-only, and again where the
    file was replaced; the embedder is made when a search finds no daemon to ask.
    """

    def __init__(
        self,
        vault: Vault,
        database: Path,
        *,
        ask: Ask,
        status: Told,
        make_embedder: Callable[[], Embedder | None],
    ) -> None:
        self.vault = vault
        self._path = database
        self._ask = ask
        self._status = status
        self._make_embedder = make_embedder
        self._opening = asyncio.Lock()
        self._db: Database | None = None
        self._file = (0, 0)
        self._embedder: Embedder | None = None
        self._engine: SearchEngine | None = None

    @property
    def name(self) -> str:
        """The name Obsidian knows the vault by."""
        return self.vault.root.name

    async def ask(self, method: str, route: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return what the running daemon answers, None if none does."""
        return await asyncio.to_thread(self._ask, method, route, body)

    async def status(self) -> Mapping[str, Any]:
        """Return the status document; it lists no files."""
        return await asyncio.to_thread(self._status)

    async def read(
        self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a reading query.

        Raises:
            NotFoundError: there is no database yet.
            DatabaseError: it is of another version.
        """
        return await (await self._database()).read(query, *args, **kwargs)

    async def engine(self) -> SearchEngine:
        """Return the search engine over the database, for when no daemon answers."""
        db = await self._database()
        if self._engine is None:
            self._embedder = self._embedder or await asyncio.to_thread(self._make_embedder)
            made = [self._embedder] if self._embedder else []
            self._engine = SearchEngine(
                db,
                made,
                vault_name=self.name,
                excluded=partial(excluded_files, self.vault.root),
                there=partial(is_there, self.vault.root),
            )
        return self._engine

    async def close(self) -> None:
        """Close what was opened."""
        if self._embedder is not None:
            await self._embedder.close()
        self._forget()

    async def _database(self) -> Database:
        async with self._opening:
            try:
                about = self._path.stat()
            except FileNotFoundError as error:
                raise NotFoundError(NOT_MADE) from error
            if self._db is not None and self._file == (about.st_dev, about.st_ino):
                return self._db
            self._forget()
            db = await asyncio.to_thread(Database, self._path, readonly=True)
            version, newest = await db.read(schema_version)
            if version != newest:
                db.close()
                if not version:
                    raise NotFoundError(NOT_MADE)
                raise DatabaseError("The database is of another version of vaultd.")
            self._db, self._file = db, (about.st_dev, about.st_ino)
            return db

    def _forget(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = self._engine = None
