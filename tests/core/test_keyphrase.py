"""The terms that matter in a document."""

from __future__ import annotations

from vaultd.core.content import content_of
from vaultd.core.keyphrase import Term, TermKind, terms_of
from vaultd.model.document import ExtractedPage

ENGLISH = """
# Trace trees

A trace tree is a set of traces with one root. TraceMonkey records a trace tree for every hot loop.
When a loop becomes hot, TraceMonkey starts to record.
Trace trees grow at a side exit.
A side exit leaves the trace when a guard fails. Every side exit has a counter in TraceMonkey.
The virtual machine (VM) runs the interpreter. The VM calls the trace tree of the inner loop.
The virtual machine stays simple. A virtual machine without traces is slow, as Gal et al. (2006)
say so.
The system uses a new method, and the system uses another method of the system.
"""
CHINESE = """
# 摘要向量库

摘要向量库是保存文件摘要的独立空间。摘要向量库与普通向量库分开存放，LangChain 负责调用模型。
删除文件时，摘要向量库必须同步更新。每个知识库都有一个摘要向量库，LangChain 不参与删除。
知识库的目录规划由根路径决定，知识库可以关闭摘要向量库。使用这种方法，系统的方法更简单。
"""


def found(text: str, language: str) -> dict[str, Term]:
    content = content_of([ExtractedPage(None, text)])
    return {term.title: term for term in terms_of(content, language)}


def test_english_terms_are_phrases_and_names_in_sentence_case() -> None:
    terms = found(ENGLISH, "en")

    assert terms["Trace tree"].kind is TermKind.CONCEPT
    assert terms["Trace tree"].defined
    assert terms["TraceMonkey"].kind is TermKind.ENTITY
    assert "Side exit" in terms


def test_an_acronym_joins_its_long_form() -> None:
    terms = found(ENGLISH, "en")

    assert terms["Virtual machine"].aliases == ("VM",)
    assert "VM" not in terms


def test_general_words_and_cited_authors_are_no_terms() -> None:
    terms = found(ENGLISH, "en")

    assert not {"System", "Method", "Gal", "Trace", "Exit"} & terms.keys()


def test_no_term_is_a_part_or_the_plural_of_another() -> None:
    keys = [set(term.key.split()) for term in found(ENGLISH, "en").values()]

    assert not any(a <= b for a in keys for b in keys if a is not b)


def test_chinese_terms_are_whole_words() -> None:
    terms = found(CHINESE, "zh")

    assert {"摘要向量库", "知识库", "LangChain"} <= terms.keys()
    assert terms["摘要向量库"].defined
    assert terms["LangChain"].kind is TermKind.ENTITY
    assert not {"方法", "系统", "要向量库", "摘要向量", "向量库"} & terms.keys()


def test_japanese_and_korean_terms() -> None:
    japanese = (
        "形態素解析は文を分ける処理である。形態素解析の結果を使う。索引は形態素解析とは別である。"
    )
    korean = (
        "발효빵은 천연효모로 만든다. 천연효모는 온도에 민감하다. 천연효모가 발효빵을 부풀린다. "
    )

    assert "形態素解析" in found(japanese, "ja")
    assert {"천연효모", "발효빵"} <= found(korean, "ko").keys()


def test_the_titles_own_word_needs_no_other_sign() -> None:
    text = "Soak the rice. The koji grows on rice. Keep koji warm. Good koji smells sweet."
    content = content_of([ExtractedPage(None, text)])

    assert "Koji" in [term.title for term in terms_of(content, "en", title="Koji for beginners")]


def test_the_same_text_gives_the_same_terms() -> None:
    assert found(ENGLISH, "en") == found(ENGLISH, "en")


def test_an_acronym_in_the_plural_joins_its_long_form() -> None:
    text = "Inner membrane vesicles (IMVs) are small. IMVs leak. Old IMVs leak more. " * 2
    text += "All IMVs come from the inner membrane vesicles of a cell."

    assert found(text, "en")["Inner membrane vesicles"].aliases == ("IMV",)


def test_what_a_page_repeats_is_said_once() -> None:
    menu = "Get a curated selection of prompts."
    text = "\n\n".join([menu] * 6 + ["Side exits leave the trace. A side exit has a counter."])

    assert found(text, "en").keys() == {"Side exit"}


def test_a_name_with_a_number_behind_it_is_not_the_name() -> None:
    text = (
        "State Route 41 goes to Fresno. Take State Route 99 to Fresno. Leave State Route 168 at"
        " Clovis. The way to Fresno is long."
    )
    assert "State Route" not in found(text, "en")


def test_the_last_word_of_a_longer_title_is_no_term() -> None:
    text = "The expansion of cells is slow. Cell expansion and loss. See expansion in Nilotinib."
    content = content_of([ExtractedPage(None, text)])

    terms = terms_of(content, "en", title="Blockage of progenitor expansion")
    assert "Expansion" not in [term.title for term in terms]


def test_german_terms_are_nouns_and_compounds() -> None:
    text = (
        "Die neue Version der Hefe ist da. Eine neue Version kam. Weitere Informationen fehlen."
        " Weitere Informationen kommen. Im Teig lebt eine Milchsäurebakterie. Jede"
        " Milchsäurebakterie säuert. Der Bulk Starter ruht, ein Bulk Starter reift."
    )
    assert found(text, "de").keys() == {"Milchsäurebakterie", "Bulk Starter"}


def test_commands_keep_their_small_letters_in_a_text_in_another_script() -> None:
    text = "lb config は設定を作ります。次に lb config を実行します。lb config は速い。"

    assert "lb config" in found(text, "ja")
