"""Sentences that cannot be read by themselves."""

from __future__ import annotations

import pytest

from vaultd.core.leaning import leans, speaks_of_itself


@pytest.mark.parametrize(
    "text",
    [
        "In each of them temperature decides who grows.",
        "Apart from them, the whole of the skating has now been stated.",
        "For this purpose, the group made a questionnaire of ten items.",
        "The Internet was an exception to this presumption of the law.",
        "The delivery of such controlled drugs is ordered by the office.",
        "A warm dough therefore turns sour before it is fully risen.",
        "This publication also analyzes threats to clusters.",
        "Soak it in cold water for twelve hours and drain it well.",
        "The difference is in the amount of flour in the dough.",
        "“However,” said the baker, “salt slows the yeast down.”",
        "Dieser Grund reicht den meisten Bäckern völlig aus.",
        "Weitere 1000 Pakete sind vorhanden, aber nicht im Archiv.",
        "Wenn sie zu warm wird, säuert die Hefe den Teig zu früh.",
        "Der Teig muss dann noch eine Stunde lang ruhen.",
        "Mehr Details finden sich auf dessen Handbuchseite.",
        "该文件包括了软件包的名称和对应的维护者的姓名。",
        "此事件激起師生憤怒，導致罷課學潮。",
        "虽然软件包很多，但是使用这些格式的人并不多见。",
        "乾興元年其即位時只有十二歲，由劉太后垂簾聽政。",
        "伊爾庫茨克州也是一個礦產豐富的地區。",
        "これは設定ファイルや文書を収録するパッケージです。",
        "を使ってカーネルイメージのパッケージを削除できます。",
        "開発者はこのバグを修正して新しい版を公開しました。",
    ],
)
def test_what_refers_to_a_sentence_before_it_leans(text: str) -> None:
    assert leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "Temperature is the strongest control a baker has.",
        "When the dough rises, this dough should be folded once.",
        "This paper explains how salt and temperature steer a sourdough.",
        "In this paper, we describe a compiler for dynamic languages.",
        "A bicycle, also known as a cycle, is driven by its rider.",
        "Bread is made not only of wheat but also of rye.",
        "If the dough is warm, then the bacteria win.",
        "Those who bake at home know that bread such as rye keeps.",
        "Es gibt einige Techniken, die man vor dem Hochladen kennen sollte.",
        "Sie können den Teig über Nacht in den Kühlschrank stellen.",
        "Wenn Sie backen, brauchen Sie einen sehr heißen Ofen.",
        "应该先把盐水煮开，再放入坛中冷却一夜。",
        "本文说明摘要向量库的用途，以及怎样与普通向量库配合。",
        "乳酸菌不需要氧气，而霉菌需要氧气，这是水封的原因。",
        "このマニュアルはシステムの使い方を説明します。",
        "パッケージは設定ファイルを収録し、その設定ファイルは変更できます。",
    ],
)
def test_what_names_what_it_speaks_of_stands_by_itself(text: str) -> None:
    assert not leans(text)


@pytest.mark.parametrize(
    ("text", "of_itself"),
    [
        ("This handout collects the temperatures that matter in a kitchen.", True),
        ("In this work, we show that passages can be found by meaning.", True),
        ("This review is a part of looking into the affairs of a debtor.", False),
        ("Dieses Handbuch beschreibt die Installation des Systems.", True),
        ("这本书介绍了泡菜的制作方法和保存方法。", True),
        ("日本文化受到中国文化的影响，并且保留了许多特点。", False),
        ("该文件包括了软件包的名称。", False),
    ],
)
def test_what_a_document_says_of_itself(text: str, of_itself: bool) -> None:
    assert speaks_of_itself(text) == of_itself
