"""`vaultd extract`: show what the converter sees in a file. Needs no vault."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from vaultd.cli.options import JsonOption, document
from vaultd.cli.outcome import DEGRADED, FAILED
from vaultd.cli.terminal import counted, print_json, remark, say
from vaultd.model.document import Extraction, ExtractStatus

EXIT_CODES = {
    ExtractStatus.OK: 0,
    ExtractStatus.PARTIAL: DEGRADED,
    ExtractStatus.NO_TEXT: DEGRADED,
    ExtractStatus.ENCRYPTED: DEGRADED,
    ExtractStatus.UNSUPPORTED: FAILED,
    ExtractStatus.FAILED: FAILED,
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("extract")(extract)


def extract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The document to read.")],
    vault: Annotated[
        Path | None, typer.Option("--vault", metavar="PATH", help="Not needed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the converter sees in a file: text and pictures."""
    del vault  # stands on every command
    extraction = asyncio.run(_convert(document(file)))
    if as_json:
        print_json(document_of(file, extraction))
    else:
        _tell(file, extraction)
    raise typer.Exit(EXIT_CODES[extraction.status])


async def _convert(file: Path) -> Extraction:
    from vaultd.extract import Converter

    converter = Converter()
    try:
        return await converter.convert(file, pictures=True)
    finally:
        await converter.close()


def document_of(file: Path, extraction: Extraction) -> dict[str, Any]:
    """Return the JSON document that describes `extraction`."""
    return {
        "path": str(file),
        "kind": extraction.kind,
        "status": extraction.status.value,
        "reason": extraction.reason,
        "language": extraction.language,
        "pages": [
            {"number": page.number, "text": page.text, "transcribed_by": page.transcribed_by}
            for page in extraction.pages
        ],
        "images": [
            {
                "sha256": image.sha256,
                "page": image.page,
                "width": image.width,
                "height": image.height,
                "alt": image.alt,
                "caption": image.caption,
            }
            for image in extraction.images
        ],
        "warnings": list(extraction.warnings),
        "metadata": dict(extraction.metadata),
    }


def _tell(file: Path, extraction: Extraction) -> None:
    for page in extraction.pages:
        if page.number is not None:
            say(f"--- {page.number} ---")
        say(page.text)
    found = [extraction.kind, extraction.status.value, extraction.language]
    found += [counted(len(extraction.pages), "page"), counted(len(extraction.images), "picture")]
    remark(f"{file.name}: {', '.join(word for word in found if word)}.")
    for sentence in (extraction.reason, *extraction.warnings):
        if sentence:
            remark(sentence)
