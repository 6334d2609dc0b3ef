"""What a page about a term begins with."""

from __future__ import annotations

import pytest

from vaultd.author.offline.lead import is_about, quotes_of
from vaultd.author.offline.study import Study, study_of
from vaultd.core.keyphrase import Term, TermKind
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import SourceText


def term(*variants: str) -> Term:
    key = variants[0].lower()
    return Term(key, variants[0], TermKind.CONCEPT, 3, 1, False, False, 1.0, (), variants)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The trace tree grows at every side exit of a loop.", "trace tree"),
        ("In TraceMonkey, loop headers are easy to find.", "loop headers"),
        ("Cold does not kill: at 4 °C fermentation rests.", "fermentation"),
        ("At 65 % a dough is firm and easy to shape on the table.", "dough"),
        ("In 1896 the Congress passed a law on the copies of plays.", "Congress"),
        ("A cluster consists of many systems, called compute nodes.", "compute nodes"),
        ("The product of the gene, BLM, is a helicase of a family.", "BLM"),
        ("根據對日本人的研究，彌生人主要來自於半島。", "彌生人"),
        ("テスト版 (testing) には新しいソフトウェアがあります。", "テスト版"),
    ],
)
def test_a_sentence_is_about_what_it_begins_with_or_defines(text: str, name: str) -> None:
    assert is_about(text, term(name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Write to the section for products at the office in Washington.", "Washington"),
        ("For WQ and TREC in one setting, the reader is trained on NQ.", "TREC"),
        ("In the dough a community of yeast and bacteria grows.", "dough"),
        ("At the end of the dough's rise it is folded once more.", "dough"),
        ("Die Debian-Referenz behandelt viele Befehle.", "Debian"),
        ("Languages such as JavaScript are hard to compile.", "JavaScript"),
        ("The sets (NQ, SQuAD) are large.", "SQuAD"),
        ("We ask Claude to give its reasons first.", "Claude"),
        ("Before the loop, if a guard fails then the trace ends.", "guard"),
        ("パッケージを削除する方法は簡単です。", "パッケージ"),
        ("Salt slows the yeast down.", "dough"),
    ],
)
def test_a_sentence_that_mentions_something_is_not_about_it(text: str, name: str) -> None:
    assert not is_about(text, term(name))


def study(text: str, title: str = "Bread") -> Study:
    source = SourceText(
        SourceId("a.md"), VaultPath("raw/a.md"), "0" * 64, title, "en", (ExtractedPage(1, text),)
    )
    return study_of(source)


def quotes(text: str, name: str, told: tuple[str, ...] = (), *, is_new: bool = True) -> list[str]:
    read = study(text)
    wanted = next(one for one in read.terms if one.title == name)
    return [one.statement.text for one in quotes_of(wanted, read, told, is_new=is_new)]


LEAD = "A lactic acid tastes round in the mouth, as every yoghurt in the kitchen does."
PART = "Lactic acid bacteria outnumber all the yeast in a ripe starter of a home baker."
MORE = (
    "Lactic acid bacteria grow best in a warm place near the oven of the whole kitchen.",
    "The baker gets more acetic acid and less lactic acid from a stiff and cool starter.",
)
LEANING = "In this way the lactic acid of all of them keeps the other microbes out of the dough."


def test_a_page_begins_with_its_term_and_not_with_a_longer_name() -> None:
    assert quotes(" ".join((PART, *MORE, LEAD)), "Lactic acid")[0] == LEAD


def test_what_leans_stands_on_no_page_where_there_is_better() -> None:
    assert LEANING not in quotes(" ".join((LEAD, PART, *MORE, LEANING)), "Lactic acid")


def test_two_pages_do_not_begin_with_one_sentence() -> None:
    text = " ".join((LEAD, PART, *MORE))

    assert quotes(text, "Lactic acid", (LEAD,))[0] != LEAD


def test_what_is_never_the_subject_gets_no_page_of_its_own() -> None:
    text = (
        "Bakers who live far from any town keep their starter in a jar with lactic acid."
        " A stiff starter that stands in the cool cellar of the house makes more lactic acid."
        " The old master taught all of his pupils to smell the sharp and round lactic acid."
    )
    assert quotes(text, "Lactic acid") == []
    assert quotes(text, "Lactic acid", is_new=False)  # a page that is there hears of it
