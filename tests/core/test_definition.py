"""Sentences that say what something is."""

from __future__ import annotations

import pytest

from vaultd.core.definition import defines


@pytest.mark.parametrize(
    "text",
    ["Acme Corporation is a maker of traps.", "The Acme Ltd. (AL) is the maker of traps."],
)
def test_a_name_may_go_on_before_it_is_defined(text: str) -> None:
    assert defines(text, ["Acme"])
    assert not defines("Acme Gaming is a maker of games.", ["Acme"])


def test_a_short_form_is_defined_with_its_long_form() -> None:
    assert defines("A dense passage retriever (DPR) is a model for search.", ["DPR"])
    assert defines("The product of the gene, BLM, is a helicase.", ["BLM"])
    assert not defines("Old trees (DPR) grow in the whole country.", ["DPR"])


def test_an_adverb_before_a_german_verb_is_not_defined() -> None:
    assert not defines("Allerdings sind Pakete nicht umfassend getestet.", ["Allerdings"])
    assert defines("Thin Clients sind ein guter Weg.", ["Thin Clients"])
