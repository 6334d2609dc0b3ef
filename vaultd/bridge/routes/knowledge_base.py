"""The summary specification's own paths, with its fields, defaults and answers.

A knowledge base is a configured root of the vault; its vector store is always ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import PurePosixPath

from vaultd.bridge.answers import KnowledgeBaseAnswer, KnowledgeBaseStep
from vaultd.bridge.asked import (
    KnowledgeBaseAsked,
    KnowledgeBaseFile,
    KnowledgeBasePassages,
    WholeKnowledgeBase,
)
from vaultd.bridge.operation import operation
from vaultd.bridge.problem import SPECIFIED
from vaultd.bridge.program import Program
from vaultd.bridge.routes.folders import passage_ids
from vaultd.model.paths import VaultPath
from vaultd.summarize.files import Wish


async def summary_file_to_vector_store(
    program: Program, asked: KnowledgeBaseFile
) -> AsyncIterator[KnowledgeBaseStep]:
    """Make or refresh the summary of one file of a knowledge base; streams one event."""
    wish = _wish(program, asked)
    name, allow_empty = asked.knowledge_base_name, asked.allow_empty_kb
    root = program.summaries.knowledge_base(name, allow_empty=allow_empty)
    path = _file(root, asked.file_name)
    async with aclosing(program.summaries.summarise_file(path, wish)) as steps:
        async for step in steps:
            yield KnowledgeBaseStep(**(step | {"doc": asked.file_name}))


async def summary_doc_ids_to_vector_store(
    program: Program, asked: KnowledgeBasePassages
) -> KnowledgeBaseAnswer:
    """Summarise the passages with these ids; nothing is stored."""
    wish = _wish(program, asked)
    program.summaries.knowledge_base(asked.knowledge_base_name, allow_empty=False)
    made = await program.summaries.summarise_passages(passage_ids(asked.doc_ids), wish)
    return KnowledgeBaseAnswer(code=200, msg="总结完成", data={"summarize": [made.document()]})


async def recreate_summary_vector_store(
    program: Program, asked: WholeKnowledgeBase
) -> AsyncIterator[KnowledgeBaseStep]:
    """Make all file summaries of a knowledge base anew; streams an event for each file."""
    wish = _wish(program, asked)
    name, allow_empty = asked.knowledge_base_name, asked.allow_empty_kb
    root = program.summaries.knowledge_base(name, allow_empty=allow_empty)
    async with aclosing(program.summaries.recreate(root, wish)) as steps:
        async for step in steps:
            yield KnowledgeBaseStep(**step)


def _wish(program: Program, asked: KnowledgeBaseAsked) -> Wish:
    """Return how to summarise.

    Raises:
        UsageError: the temperature or the limit does not fit.
        ConflictError: the index holds vectors of another model.
    """
    wish = Wish(asked.file_description, asked.model_name or "", asked.temperature, asked.max_tokens)
    program.summaries.check(wish, embed_model=asked.embed_model)
    return wish


def _file(root: VaultPath | None, name: str) -> VaultPath:
    """Return the vault path of a file that is named from its root, or from the vault's."""
    if root is None or PurePosixPath(name).is_relative_to(root):
        return VaultPath(name)
    return VaultPath(f"{root}/{name}")


OPERATIONS = (
    operation(
        "POST",
        f"{SPECIFIED}summary_file_to_vector_store",
        summary_file_to_vector_store,
        fails=(404, 409),
    ),
    operation(
        "POST",
        f"{SPECIFIED}summary_doc_ids_to_vector_store",
        summary_doc_ids_to_vector_store,
        fails=(404, 409),
    ),
    operation(
        "POST",
        f"{SPECIFIED}recreate_summary_vector_store",
        recreate_summary_vector_store,
        fails=(404, 409),
    ),
)
