"""Danish, Norwegian or Swedish: what one of them writes and the others do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

# Norwegian is written in two ways, and the marks of both are here.
_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in (
        (
            "no",
            "å av ut opp inn etter mellom uten utan mot ble blir blitt bli seg meg deg dere"
            " noen noe noko nokre hva mer meir mye mykje nå enn ein ei eit dei frå vert verte"
            " verta berre kva kven kvar kor korleis desse vere vera då sidan sjølv saman slik"
            " ha ta la gi dersom fram annen annan ditt igjen klarte antall tall fila linja"
            " verdi verdien les lese leser leses lesing velg velge lenke lenker endre endrer"
            " endres endret lengde legg legge legger trenger",
        ),
        (
            "da",
            "af ud op ind efter mellem uden mod blev blevet blive bliver sig mig dig nogen"
            " noget nogle hvad mere meget nu end have tage lade give giver anden andet intet"
            " deres lige lig jer antal tal gyldigt",
        ),
        (
            "sv",
            "och att till inte ett hon vid upp inom inga inget detta dessa vad mycket ska"
            " finns varje endast av ut utan mot mer blir bli då ha ta",
        ),
    )
}
_GROUPS: Mapping[str, re.Pattern[str]] = {
    "no": re.compile(
        "kj|gj|øy|sjon|skj[eæø]|ei[dklnt]|(?:tt|kk|pp|nn)$|(?<!sikk)(?<!fork)erte?$|het(?:en|er)?$"
        "|^ut[bdgklmnsvøå]|^opp|^inn|bruk|ane$|ingene$|riktig|viktig|søk|språk|bok(?:a|en|st|m)|åpn"
        "|skap(?:et|en)?$|m[åø]te|bøk|(?:tab|mod|i)ell|f[ai]nn|minne|begynn|nøkk|^endring"
        "|spesi|sertif|sentr|prosess|lisens"
    ),
    "da": re.compile(
        "æ(?!r)|øj|ejl|ej$|tion(?:en|er|erne)?$|hed(?:en|er)?$|[aæi]gt|ere[td]e?$|^gø|^kø[bn]"
        "|^ud[a-zø]|^af|^op[bdfghklmnr]|^ind[fghklst]|brug|ingerne$|rigtig|vigtig|søg|sprog|åbn"
        "|skab|m[åø]de|find|begynd|nøgl|skjul|ået|b[øo]g(?:en|er|e)?$|licens|certifik"
    ),
    "sv": re.compile(
        "[äö]|från|någ|ck|x|[ao]rna$|erad|erat$|erar?$|(?<!er)tion(?:en|er)?$|innehåll"
        "|(?:tt|kk|pp|nn)$"
    ),
}


def told_apart(words: Sequence[str], *, is_like_swedish: bool) -> str:
    """Return which of the languages `words`, all lower case, are in; "" if nothing tells.

    Where they are taken for Swedish, more must speak for another one.
    """
    marks = {language: _marks(words, language) for language in _WORDS}
    if is_like_swedish and (
        any("ä" in word or "ö" in word for word in words)
        or marks["sv"] >= max(marks["da"], marks["no"])
    ):
        return "sv"
    if marks["no"] == marks["da"]:
        return ""
    return "no" if marks["no"] > marks["da"] else "da"


def _marks(words: Iterable[str], language: str) -> int:
    own, groups = _WORDS[language], _GROUPS[language]
    return sum(word in own or groups.search(word) is not None for word in words)
