"""What a person can set: one TOML file, environment variables above it, and no third source."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as SourceError

from vaultd.core.ignore import DEFAULT_EXCLUDE, DEFAULT_INCLUDE
from vaultd.errors import SettingsError

PREFIX = "VAULTD_"
DELIMITER = "__"
_CODE = re.compile(r"auto|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


def _lines(value: Any) -> Any:
    """Accept rules written one a line, as an environment variable has to."""
    if isinstance(value, str):
        return tuple(line.strip() for line in value.splitlines() if line.strip())
    return value


def _loopback(host: str) -> str:
    if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
        raise ValueError("the bridge listens on this machine only: 127.0.0.1, ::1 or localhost")
    return host


def _folders(roots: tuple[str, ...]) -> tuple[str, ...]:
    for root in roots:
        parts = PurePosixPath(root).parts
        if not parts or root.startswith("/") or "\\" in root or ".." in parts:
            raise ValueError(f"{root!r} is not a folder below the vault")
    return tuple(str(PurePosixPath(root)) for root in roots)


def _address(url: str) -> str:
    if url and not url.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    return url


def _language(code: str) -> str:
    if not _CODE.fullmatch(code):
        raise ValueError('a language is an ISO code such as "en" or "zh", or "auto"')
    return code


Lines = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_lines)]
Lasting = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Waiting = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Amount = Annotated[int, Field(ge=0)]
Language = Annotated[str, AfterValidator(_language)]
Address = Annotated[str, AfterValidator(_address)]


class Section(BaseModel):
    """One table of the file: frozen, and a key it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LlmSettings(Section):
    """The model that writes; none unless `model` is set."""

    model: str = ""
    """Name of the chat model. Empty: the offline author writes, and nothing leaves the machine."""
    base_url: Address = ""
    """Address of an OpenAI-compatible endpoint. Empty: the client's own default."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key; the key itself is never in a file."""
    context_chars: Annotated[int, Field(ge=4_000)] = 204_800
    """Characters that one request to the model may hold."""
    max_concurrent: Annotated[int, Field(ge=1, le=100)] = 10
    """Calls that may run at once, over everything vaultd does."""
    timeout_seconds: Lasting = 120
    """How long a model may be silent before the call counts as failed."""
    daily_token_limit: Amount = 0
    """Tokens a day (UTC), in and out, after which work waits for tomorrow. 0: no limit."""
    analysis_model: str = ""
    """Model that reads a source first. Empty: `model`."""
    generation_model: str = ""
    """Model that writes the pages. Empty: `model`."""
    summary_model: str = ""
    """Model that summarises folders and files. Empty: `model`."""
    vision_model: str = ""
    """Model that describes pictures. Empty: pictures get no captions."""


class EmbeddingSettings(Section):
    """What finds text by meaning."""

    provider: Literal["builtin", "openai", "none"] = "builtin"
    """`builtin`: on this machine; `openai`: a compatible endpoint; `none`: words only."""
    base_url: Address = ""
    """Address of the embedding endpoint, for `openai`. Empty: the client's own default."""
    model: str = ""
    """Name of the embedding model. Empty: the built-in one, or the endpoint's usual one."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key of the embedding endpoint."""


class IngestSettings(Section):
    """How dropped files become pages."""

    settle_seconds: Waiting = 5
    """How long a file has to stay unchanged before it is read."""
    retry_first_seconds: Waiting = 30
    """Wait before the second attempt; the third waits four times as long."""
    parallel: Annotated[int, Field(ge=1, le=16)] = 3
    """Sources that may be written about at once; two more are read or published meanwhile."""
    language: Language = "auto"
    """Language of the pages, an ISO code such as `en`, `zh` or `zh-TW`. `auto`: the source's."""
    multimodal: Literal["auto"] | bool = "auto"
    """`auto`: pictures stand in the source page, captions only with a vision model;
    `true`: captions are wanted; `false`: pictures are left out."""
    caption_concurrency: Annotated[int, Field(ge=1, le=32)] = 4
    """Pictures that may be described at once."""
    include: Lines = DEFAULT_INCLUDE
    """Files of `raw/` that are read, as gitignore rules."""
    exclude: Lines = DEFAULT_EXCLUDE
    """Files of `raw/` that are passed over, as gitignore rules; these win over `include`."""
    max_file_mb: Annotated[int, Field(ge=1, le=4096)] = 100
    """Files above this size (in megabytes) are passed over."""
    pages_per_source: Annotated[int, Field(ge=1, le=100)] = 15
    """Pages that one source may bring about."""
    confirm_above_tokens: Amount = 500_000
    """Work that would take more tokens than this waits for `vaultd retry`. 0: never waits."""


class SummarySettings(Section):
    """Abstracts and overviews of folders."""

    roots: Annotated[Lines, AfterValidator(_folders)] = ("wiki",)
    """Folders of the vault whose tree is summarised."""
    max_children: Annotated[int, Field(ge=2, le=500)] = 50
    """Children that one request to the model may list; wider folders are taken in parts."""
    max_age_hours: Lasting = 24
    """Age at which the overview of the whole wiki is looked at again."""


class BridgeSettings(Section):
    """The local HTTP interface that the plugin, browsers and agents use."""

    enabled: bool = True
    """Whether the daemon listens at all."""
    host: Annotated[str, AfterValidator(_loopback)] = "127.0.0.1"
    """Address to listen on: this machine only."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 27_331
    """Port; where it is taken the next free one up to 27340 is used and kept. 0: any free port."""


class WatchSettings(Section):
    """How changes on disk are noticed."""

    mode: Literal["auto", "native", "poll"] = "auto"
    """`auto`: events where the disk gives reliable ones, else polling."""
    rescan_seconds: Lasting = 60
    """Time between two looks at the whole vault; events are only a hint to look sooner."""


class Settings(BaseSettings):
    """Everything a person can set, checked and frozen."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter=DELIMITER,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
    )

    state_dir: str = ""
    """Folder for the database and other state, for vaults on network or synced disks.
    Empty: `.llm-wiki/` in the vault."""
    llm: LlmSettings = LlmSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    ingest: IngestSettings = IngestSettings()
    summaries: SummarySettings = SummarySettings()
    bridge: BridgeSettings = BridgeSettings()
    watch: WatchSettings = WatchSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the environment above the file, whose tables are the arguments."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings


def load_settings(path: Path) -> Settings:
    """Read the settings file at `path`, if there is one, and the environment.

    Raises:
        SettingsError: a key is unknown, a value does not fit, or the file is no TOML.
    """
    _refuse_unknown_variables(os.environ)
    tables = _tables(path)
    try:
        return Settings(**tables)
    except ValidationError as error:
        raise SettingsError(_sentence(error, path)) from error
    except SourceError as error:
        raise SettingsError(f"A {PREFIX}… variable cannot be read: {error}.") from error


def api_key(variable: str) -> SecretStr:
    """Return the key that the environment variable `variable` holds; empty where it is not set."""
    return SecretStr(os.environ.get(variable, ""))


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    """Refuse `VAULTD_SECTOIN__KEY`, which the library would pass over in silence."""
    for name in environ:
        section, delimiter, _ = name.upper().removeprefix(PREFIX).partition(DELIMITER)
        if not name.upper().startswith(PREFIX) or not delimiter:
            continue
        if section.lower() not in Settings.model_fields:
            near = _near(section.lower(), list(Settings.model_fields))
            raise SettingsError(f"{name}: there is no section {section.lower()!r}.{near}")


def _sentence(error: ValidationError, path: Path) -> str:
    """Name the first wrong key, what is wrong with it, and where it was set."""
    first = error.errors()[0]
    parts = [str(part) for part in first["loc"]]
    key = ".".join(parts[:2])
    variable = PREFIX + DELIMITER.join(parts[:2]).upper()
    where = variable if variable in {name.upper() for name in os.environ} else str(path)
    if first["type"] == "extra_forbidden":
        return f"There is no setting {key!r} ({where}).{_near(parts[-1], _siblings(parts))}"
    message = str(first["msg"]).removeprefix("Value error, ")
    return f"The setting {key!r} ({where}) does not fit: {message[0].lower()}{message[1:]}."


def _siblings(parts: list[str]) -> list[str]:
    if len(parts) == 1:
        return list(Settings.model_fields)
    section = Settings.model_fields[parts[0]].annotation
    return list(section.model_fields) if isinstance(section, type(BaseModel)) else []


def _near(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
