"""What may be quoted."""

from __future__ import annotations

import pytest

from vaultd.core.quotable import is_foreign, is_quotable
from vaultd.core.text import Kind


@pytest.mark.parametrize(
    "text",
    [
        "and strengthens the gluten of the dough, which the baker can feel.",  # no beginning
        "The dough is mixed in the evening and left to rest until the",  # no end
        "See https://example.org/dough for the whole story of the dough and more.",
        "Baker, A. Salt and yeast in the dough. Journal of Bread 12, pp. 3-9, 1999.",
        "Copyright 1999 by the Bakers of the Town, who keep every right to the text.",
        "Short one.",
        "The sum (of all the parts of the dough is more than the flour and water.",
        "Table 2: The accuracy of the search on the test set of all the questions.",
        "Figure 3 shows the temperature of the dough over a whole working day.",
        "表 2 摘要向量库在不同知识库中的检索结果以及每个文件所需时间的比较。",
        "1 Arrays are actually worse than this if the index value is a number.",
        "1308.25 Exclusion of a product for animals and the way to apply for it.",
        "Keywords: sourdough, yeast, bacteria, temperature, salt, and the flour of rye.",
        "DEAR SIR: The undersigned ——— hereby asks the office for a rule on bread.",
        "x = a + b + c and y = d + e where z < k and so on it goes for all n.",
    ],
)
def test_fragments_references_and_formulas_are_not_quoted(text: str) -> None:
    assert not is_quotable(text, Kind.PROSE)


def test_whole_sentences_are_quoted_in_any_script() -> None:
    assert is_quotable("Salt slows the yeast down and strengthens the gluten.", Kind.PROSE)
    assert is_quotable("Salt slows the yeast down and strengthens the gluten.[2][a]", Kind.PROSE)
    assert is_quotable("盐会减慢酵母的生长，同时增强面团里面筋的强度和弹性。", Kind.PROSE)
    assert is_quotable("塩は酵母の働きを遅くし、生地のグルテンを強くする役割を持つ。", Kind.PROSE)


def test_a_sentence_in_another_language_is_foreign() -> None:
    assert is_foreign("You may use whatever method is appropriate for the package.", "de")
    assert is_foreign("Please note that the package is not free.", "ja")
    assert not is_foreign("Der Befehl »make install« kopiert die Dateien.", "de")
    assert not is_foreign("apt は Debian の全てのパッケージを管理します。", "ja")
    assert not is_foreign("Whatever is said of it.", "")
