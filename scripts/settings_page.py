"""Prints docs/settings.md from the settings themselves: `python -m scripts.settings_page`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from vaultd.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"

HEAD = """\
# Settings

Settings of a vault stand in `.llm-wiki/config.toml`. A variable `VAULTD_<SECTION>__<KEY>`, such as
`VAULTD_LLM__MODEL`, wins over the file (`VAULTD_STATE_DIR` for the one key without a section).
There is no third source. A key that does not exist is an error that names it. Seconds may be
fractions. Lists of rules are written one a line in a variable.

A model is used only when `llm.model` is set; a key in the environment alone changes nothing. Keys
are never kept in the file: `api_key_env` names the variable that holds one. Settings are read when
a command starts; restart the daemon after a change.

`llm.timeout_seconds` is the longest silence, not the length of a call: a model that streams is at
work. A call is given up as a whole after that time and as much again for every 2,400 tokens that it
may write. Local models that load for minutes want a longer one.

```toml
[llm]
model = "gpt-4.1-mini"

[ingest]
language = "en"
exclude = ["*.private.*", "drafts/"]
```
"""


def page() -> str:
    """Return the whole page; this script and its test are the only writers of it."""
    parts = [HEAD, "## Top level\n", _table(_plain_keys(Settings))]
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            parts += [f"\n## [{name}]\n\n{section.__doc__}\n", _table(section.model_fields)]
    return "\n".join(parts)


def _plain_keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {
        name: field
        for name, field in model.model_fields.items()
        if not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel))
    }


def _table(fields: dict[str, FieldInfo]) -> str:
    rows = ["| key | default | what it does |", "| --- | --- | --- |"]
    for name, field in fields.items():
        what = " ".join((field.description or "").split())
        rows.append(f"| `{name}` | {_default(field.default)} | {what} |")
    return "\n".join(rows)


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value).replace("|", "\\|")
    return f"`{json.dumps(value, ensure_ascii=False)}`"


if __name__ == "__main__":
    PAGE.write_text(page() + "\n", encoding="utf-8")
