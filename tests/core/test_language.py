"""Naming the language of a text, and the language guard."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from vaultd.core.language import (
    language_of,
    language_of_note,
    matches_target,
    same_family,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The dough is ready when it has doubled and is full of bubbles.", "en"),
        ("Der Teig ist fertig, wenn er nicht mehr auf dem Tisch klebt.", "de"),
        ("La pâte est prête et elle ne colle pas à la table.", "fr"),
        ("La masa está lista y no se pega en la mesa.", "es"),
        ("Il gatto è sul tavolo e non si muove.", "it"),
        ("A massa não está na mesa e não cola.", "pt"),
        ("Het deeg is klaar en dat is niet op de tafel.", "nl"),
        ("量子纠缠", "zh"),
        ("在 Python 中使用 asyncio 并发", "zh"),
        ("データベースのインデックス", "ja"),
        ("量子もつれについて", "ja"),
        ("한국어 문서입니다 API", "ko"),
        ("Это русский текст.", "ru"),
        ("Це український текст, її мова.", "uk"),
        ("هذا نص عربي قصير", "ar"),
        ("این یک متن فارسی است که گفتگو و پژوهش دارد", "fa"),
        ("זה טקסט בעברית", "he"),
        ("นี่คือภาษาไทย", "th"),
        ("यह हिंदी है", "hi"),
        ("Αυτό είναι ελληνικά", "el"),
    ],
)
def test_short_texts_tell_their_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is a twin prime?", "en"),
        ("Do you know what I have to do?", "en"),
        ("Le fichier a été modifié par un autre processus.", "fr"),
        ("Aucun paramètre n’a été donné à la commande.", "fr"),
        ("El número de líneas no es válido.", "es"),
        ("A pasta não tem permissão de escrita.", "pt"),
        ("Il file non è stato trovato nella cartella.", "it"),
        ("Filen kan ikke åpnes uten passord.", "no"),
        ("Filen kan ikke åbnes uden adgangskode.", "da"),
        ("Filen kan inte öppnas utan lösenord.", "sv"),
        ("Tiedostoa ei voi avata, koska se on lukittu.", "fi"),
        ("Nie można otworzyć pliku do zapisu.", "pl"),
        ("Soubor se nepodařilo otevřít pro zápis.", "cs"),
        ("A fájl nem található és nem hozható létre.", "hu"),
        ("Numărul de linii nu este valid.", "ro"),
        ("Dosya bu dizinde yok ve açılamadı.", "tr"),
        ("Không thể mở tập tin này.", "vi"),
        ("Berkas ini tidak dapat dibuka.", "id"),
    ],
)
def test_words_and_letters_that_languages_share_do_not_decide(text: str, language: str) -> None:
    assert language_of(text) == language
    assert language_of(unicodedata.normalize("NFD", text)) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hvordan lagrer jeg endringene i et dokument?", "no"),
        ("Klarte ikke å lese filen.", "no"),
        ("Du må slå på maskinen før du begynner.", "no"),
        ("Møtet er flyttet til onsdag, og alle skal være med.", "no"),
        ("Skolen har fått nye bøker som elevene kan låne.", "no"),
        ("Eg veit ikkje kva som er best for oss.", "no"),
        ("Vel kva for biletformat du vil bruka.", "no"),
        ("Dei fleste har ikkje sett det før.", "no"),
        ("Hvordan gemmer jeg ændringerne i et dokument?", "da"),
        ("Kunne ikke læse filen, for den er blevet låst.", "da"),
        ("Mødet er flyttet til onsdag, og alle skal være med til at beslutte noget.", "da"),
        ("Skolen har fået nye bøger, som eleverne kan låne.", "da"),
        ("Jag vet inte vad som är bäst för oss.", "sv"),
        ("Skolan har av och till nya medel som alla kan ta del av.", "sv"),
    ],
)
def test_languages_of_the_north_are_told_apart(text: str, language: str) -> None:
    assert language_of(text) == language


def test_line_that_is_both_danish_and_norwegian_is_neither() -> None:
    assert language_of("Det kan han ikke se, og det er for lite.") in ("no", "")
    assert language_of("Det kan jeg ikke, men han kan.") == ""


@pytest.mark.parametrize(
    "line",
    [
        "A client wants to invest $10,000.",
        "Nicholas promised to pay tomorrow, said Boris.",
        "I named her Luna.",
        "E-cadherin drives a cancer cell to do so",
    ],
)
def test_a_short_english_line_with_a_name_is_not_taken_for_another_language(line: str) -> None:
    assert language_of(line) in ("en", "")


def test_english_questions_are_seen_to_be_english(shared: Path) -> None:
    lines = (shared / "search-eval/xquad-en-zh/queries.jsonl").read_text("utf-8").splitlines()
    questions = [each["text"] for each in map(json.loads, lines) if each["lang"] == "en"]
    found = Counter(map(language_of, questions))

    assert found.keys() <= {"en", ""}
    assert found["en"] > 0.9 * len(questions)


@pytest.mark.parametrize("text", ["", "x = 1", "Quantum entanglement", "die", "1234 µ Ω", "🙂🙂"])
def test_what_does_not_tell_has_no_language(text: str) -> None:
    assert language_of(text) == ""


def test_filler_text_and_lists_of_names_have_no_language() -> None:
    filler = (
        "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor "
        "invidunt ut labore et dolore magna aliquyam erat, at vero eos et accusam et justo duo. "
    )

    assert language_of(filler * 5) == ""
    assert language_of("o e A7 n t\n" * 3) == ""


def test_a_form_with_few_sentences_is_not_taken_for_another_language() -> None:
    form = (
        "Bullet 1, Bullet 2, Row 1 Col 1, Row 2 Col 2, Subject is here, Footnote appears here, "
        "Here is a list, Here is a citation, Here is a numbered list, this is a hyperlink, a 1 "
    )

    assert language_of(form * 2) in ("en", "")


def test_one_german_word_does_not_make_english_german() -> None:
    assert language_of("The cast of Die Hard is known for this and that.") == "en"


def test_one_decorative_kana_leaves_chinese_chinese() -> None:
    text = "鲜の每日，新鲜水果与蔬菜每天早上从农场直接送到您的家里。"

    assert language_of(text) == "zh"


def test_an_english_licence_does_not_outweigh_a_chinese_book() -> None:
    licence = "This work is licensed under the terms of the licence and of the law. " * 60
    chapter = "本章说明怎样安装系统，以及如何配置网络。" * 2_000

    assert language_of(licence + chapter) == "zh"


def test_code_maths_and_properties_are_no_prose() -> None:
    note = (
        "---\ntitle: The state of the art and of the law\n---\n"
        "这是正文，说明向量库的用途。\n\n"
        "```python\nfor this in that: print(the, of, and, is)\n```\n"
        "$the = of + and$\n"
    )

    assert language_of_note(note) == "zh"


ENGLISH = "The dough is ready when it has doubled and is full of bubbles."
CHINESE = "这一页说明摘要向量库的用途，以及它怎样与普通向量库配合使用。"


@pytest.mark.parametrize(
    ("content", "target", "passes"),
    [
        (ENGLISH, "en", True),
        (ENGLISH, "de", True),  # Latin languages pass for each other
        (CHINESE, "en", False),
        (CHINESE, "zh", True),
        (CHINESE, "ja", True),  # as do Chinese, Japanese and Korean
        (CHINESE, "zh-Hant", True),
        (ENGLISH, "zh", False),
        (ENGLISH, "ar", False),
        (ENGLISH, "th", False),
        ("هذا نص عربي قصير عن العجين والخبز والملح", "ar", True),
        ("هذا نص عربي قصير عن العجين والخبز والملح", "fa", False),
        ("too short", "zh", True),
        (CHINESE, "", True),
    ],
)
def test_the_guard_compares_families_of_scripts(content: str, target: str, passes: bool) -> None:
    assert matches_target(content, target) is passes


def test_the_guard_does_not_read_code() -> None:
    page = f"{CHINESE}\n\n```sh\n{ENGLISH * 5}\n```\n"

    assert matches_target(page, "zh")


def test_families() -> None:
    assert same_family("en", "fr")
    assert same_family("zh", "ko")
    assert same_family("", "zh")
    assert not same_family("en", "zh")
    assert not same_family("ar", "he")
