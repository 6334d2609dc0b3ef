from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.dictionary import Meant, Translation, meant_by, to_look_up, translations_of

LINES = """\
# CC-CEDICT
發酵 发酵 [fa1 jiao4] /to ferment/fermentation/
模具 模具 [mu2 ju4] /mold/matrix/pattern (for casting)/
洋蔥 洋葱 [yang2 cong1] /onion (Allium cepa); CL:個|个[ge4]/
廣西 广西 [Guang3 xi1] /Guangxi Zhuang Autonomous Region in South Central China/
微軟 微软 [Wei1 ruan3] /Microsoft Corporation/
唐 唐 [Tang2] /Tang dynasty (618-907)/surname Tang/
朝代 朝代 [chao2 dai4] /dynasty/reign (of a king)/
工具 工具 [gong1 ju4] /tool/instrument/
用工 用工 [yong4 gong1] /to employ workers/
用 用 [yong4] /to use/
縣 县 [xian4] /county/
何 何 [he2] /what/which/
no entry at all
"""


def lookup() -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for word, rank, other in translations_of(LINES.splitlines()):
        found.setdefault(word, []).append((rank, other))
    return {word: [other for _, other in sorted(others)] for word, others in found.items()}


def others(question: str) -> dict[str, tuple[str, ...]]:
    """Return what a question's words may be, asked as a search asks."""
    wanted = set(to_look_up(question))
    known = {word: words for word, words in lookup().items() if word in wanted}
    return dict(meant_by(question, known))


def test_an_entry_is_read_in_both_directions_without_what_is_no_meaning() -> None:
    found = set(translations_of(LINES.splitlines()))

    assert Translation("发酵", 0, "ferment") in found
    assert Translation("ferment", 0, "发酵") in found
    assert Translation("pattern", 2, "模具") in found
    assert Translation("唐", 0, "tang") in found
    assert not {one for one in found if "个" in one.word + one.other or "surname" in one.other}
    assert not {one for one in found if one.word == "何"}  # stop words in English


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("fermenting molds", {"fermenting": ("发酵",), "molds": ("模具",)}),
        ("the onions of dynasties", {"onions": ("洋葱",), "dynasties": ("朝代",)}),
        ("Guangxi county", {"guangxi": ("广西",), "county": ("县",)}),
        ("microsoft tools", {"microsoft": ("微软",), "tools": ("工具",)}),
        ("employ workers", {"employ workers": ("用工",)}),
        ("Nurhaci", {"nurhaci": ("nurhaci",)}),
        ("發酵", {"发酵": ("ferment", "fermentation")}),
        ("用工具", {"工具": ("tool", "instrument")}),
        ("微软token", {"微软": ("microsoft", "weiruan"), "token": ("token",)}),
        ("", {}),
        ("?!", {}),
    ],
)
def test_a_questions_words_are_looked_up_as_they_are_meant(
    question: str, meant: dict[str, tuple[str, ...]]
) -> None:
    assert others(question) == meant


@given(question=st.text(alphabet=st.one_of(st.characters(), st.sampled_from("发酵模具 toolsed"))))
def test_nothing_typed_is_an_error(question: str) -> None:
    for one in meant_by(question, dict.fromkeys(to_look_up(question), ["there"])):
        assert isinstance(one, Meant)
        assert one.others
