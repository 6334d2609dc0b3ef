"""Settings: what wins, what is refused, and what the refusal says."""

from __future__ import annotations

import os
from pathlib import Path

import pydantic
import pytest

from vaultd.errors import SettingsError
from vaultd.settings import Settings, api_key, load_settings


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.upper().startswith("VAULTD_"):
            monkeypatch.delenv(name)


def settings_from(folder: Path, text: str) -> Settings:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path)


def test_without_a_file_the_defaults_hold_and_no_model_is_used(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "config.toml")

    assert settings.llm.model == ""
    assert settings.ingest.settle_seconds == 5
    assert settings.bridge.port == 27331
    assert settings.summaries.roots == ("wiki",)


def test_a_key_in_the_environment_alone_configures_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-unused")

    assert load_settings(tmp_path / "config.toml").llm.model == ""


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTD_INGEST__PARALLEL", "7")

    settings = settings_from(tmp_path, "[ingest]\nparallel = 2\nmax_file_mb = 9\n")

    assert settings.ingest.parallel == 7
    assert settings.ingest.max_file_mb == 9


def test_rules_in_a_variable_stand_one_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTD_INGEST__INCLUDE", "*.md\n\n*.pdf\n")

    assert load_settings(tmp_path / "no.toml").ingest.include == ("*.md", "*.pdf")


def test_seconds_may_be_fractions(tmp_path: Path) -> None:
    assert (
        settings_from(tmp_path, "[ingest]\nsettle_seconds = 0.25\n").ingest.settle_seconds == 0.25
    )


def test_settings_are_frozen(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "config.toml")

    with pytest.raises(pydantic.ValidationError):
        settings.ingest.parallel = 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[ingest]\nsettel_seconds = 3", "'ingest.settel_seconds'.*Did you mean 'settle_seconds'"),
        ("[lm]\nmodel = 'x'", "'lm'.*Did you mean 'llm'"),
        ("statedir = '/x'", "'statedir'.*Did you mean 'state_dir'"),
        ("[ingest]\nparallel = 'many'", "'ingest.parallel'.*integer"),
        ("[ingest]\nsettle_seconds = -1", "'ingest.settle_seconds'.*greater"),
        ("[ingest]\nsettle_seconds = nan", "'ingest.settle_seconds'.*(finite|greater)"),
        ("[ingest]\nlanguage = 'in Klingon'", "'ingest.language'.*ISO code such as"),
        ("[llm]\nbase_url = 'localhost:11434/v1'", "'llm.base_url'.*http://"),
        ("[embedding]\nbase_url = '127.0.0.1'", "'embedding.base_url'.*http://"),
        ("[bridge]\nhost = '0.0.0.0'", "'bridge.host'.*this machine only"),
        ("[bridge]\nport = 70000", "'bridge.port'"),
        ("[summaries]\nroots = ['../other']", "'summaries.roots'.*below the vault"),
        ("[watch]\nmode = 'sometimes'", "'watch.mode'"),
        ("ingest = 3", "'ingest'"),
        ("[ingest\n", "config.toml is not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        settings_from(tmp_path, text)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("VAULTD_INGEST__PARALEL", "'ingest.paralel' .VAULTD_INGEST__PARALEL.*'parallel'"),
        ("VAULTD_INGST__PARALLEL", "VAULTD_INGST__PARALLEL.*Did you mean 'ingest'"),
    ],
)
def test_a_misspelt_variable_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    monkeypatch.setenv(name, "2")

    with pytest.raises(SettingsError, match=sentence):
        load_settings(tmp_path / "config.toml")


def test_a_key_does_not_show_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret")

    key = api_key("SOME_KEY")

    assert "sk-secret" not in repr(key)
    assert key.get_secret_value() == "sk-secret"
    assert api_key("NOT_SET").get_secret_value() == ""
