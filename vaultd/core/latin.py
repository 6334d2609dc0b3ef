"""Which language in Latin letters a text is written in, from its function words and letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vaultd.core.nordic import told_apart

# They share most of their words, and are told apart by others; so is Swedish where that is near.
_DANISH_OR_NORWEGIAN = "da or no"
_NORDIC = ("sv", _DANISH_OR_NORWEGIAN)

# Function words, lower case; a word of one letter counts where it stands alone. Most are shared
# by several languages, and then say so much less.
_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in (
        (
            "en",
            "the of and to is that with for are this from which be by an was it as on not or a in"
            " have has had you he she his her they we at but can will would what how if there its"
            " all about when who i do does than been were more into out no my your our them could"
            " these any some did between",
        ),
        (
            "de",
            "der die das und ist nicht mit ein eine von den dem zu auf für sich auch werden im in"
            " es des er sie wird bei als nach wie einen einer einem oder zur zum aus um wenn nur"
            " noch kann sind hat war ich wir durch über kein keine dass bis",
        ),
        (
            "fr",
            "le la les des et est un une de dans pour que qui sur par pas du au avec ce sont cette"
            " en il elle ne se sa son ses aux ou où plus mais nous vous être été à qu même leur"
            " aucun tout comme",
        ),
        (
            "es",
            "el la los las y es una un de en del por que con para se como más su al lo pero esta"
            " este no sin sus o ha está son fue también entre cuando hay ser puede",
        ),
        (
            "pt",
            "o a os as e é um uma de do da em no na não que com para se mais dos das ao por são"
            " como ou foi ser nos nas pelo pela seu sua à também já está sem sobre entre pode este",
        ),
        (
            "it",
            "il la gli che di è un una per con non del della sono nel alla anche si dei le in lo i"
            " da al dal delle nella come più su ha essere o questo questa dell nell e se",
        ),
        (
            "nl",
            "de het een en van is dat niet met op voor zijn aan er ook maar door bij in te die"
            " om als wordt worden naar uit kan geen dit heeft deze over ik je hij was",
        ),
        (
            "sv",
            "och att det som en är på för med inte den av till har ett om jag i kan de vid från"
            " eller var så men han hon kunde när ska sig efter",
        ),
        (
            _DANISH_OR_NORWEGIAN,
            "og det at en et er på til for ikke med som den der har jeg i kan de ved fra eller var"
            " men han hun når skal om etter efter å af av blev ble bli blir seg sig mellem mellom"
            " mod mot uden uten noget noe noen nogle mig meg hvad hva mere mer dersom hvis enn"
            " ikkje eit frå vert berre kva korleis desse meir noko utan vere gjennom",
        ),
        (
            "fi",
            "ja on ei se että oli hän mutta ovat kun joka tai myös sen kanssa ole voi tämä niin"
            " kuin jos en olla vain mukaan jotka voidaan",
        ),
        (
            "pl",
            "i w nie na się z że jest do to jak od przez dla który oraz są po a o za tylko być"
            " można jego ale co tego został lub może przy ze",
        ),
        (
            "cs",
            "a je se na že v s do jako není pro ale by to které jsou také podle nebo z o i k po"
            " byl jen při jeho už tak za lze být od ze",
        ),
        (
            "hu",
            "a az és hogy nem egy is meg van ez de volt vagy mint csak ha már még nincs kell azt"
            " sem után között lehet",
        ),
        (
            "ro",
            "și şi în de la nu cu este pe un o din că pentru sunt care mai a fi se fost ca sau dar"
            " ce prin după al ai",
        ),
        (
            "tr",
            "ve bir bu için ile da de olarak daha çok en gibi ne var olan değil ya veya kadar"
            " sonra ama o her",
        ),
        (
            "vi",
            "và của là các có được cho trong một không những với này người khi đã để từ đến như",
        ),
        (
            "id",
            "yang dan di dengan untuk dari ini tidak pada adalah dalam akan atau itu oleh juga ke"
            " sebagai bisa dapat telah ada karena",
        ),
    )
}
_SIGNS: Mapping[str, str] = {
    "de": "äöüß",
    "fr": "éèêçàùœîô",
    "es": "ñ¿¡áíóúé",
    "pt": "ãõçáêâéíó",
    "it": "èàòùì",
    "nl": "ë",
    "sv": "åäö",
    _DANISH_OR_NORWEGIAN: "æøå",
    "fi": "äö",
    "pl": "ąęłśżźćńó",
    "cs": "ěřůžščýáíé",
    "hu": "őűáéöüíó",
    "ro": "ăâîșțşţ",
    "tr": "ğışçöü",
    "vi": "đơưạảấầẩậắằếềểệốồộớờởợụủứừửữự",
}


def _owners(owned: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the languages of each word or letter; the more they are, the less it tells."""
    found: dict[str, tuple[str, ...]] = {}
    for language, own in owned.items():
        for each in own:
            found[each] = (*found.get(each, ()), language)
    return found


_WORD_OWNERS = _owners(_WORDS)
_SIGN_OWNERS = _owners(_SIGNS)
_SINGLE = re.compile(r"(?<![\w'’.-])[^\W\d_](?![\w'’-])")

_LONGER, _LONG = 40, 200  # words from which on three, and five, different signals are wanted
_LEAST_WORTH = 0.9  # of the different signals together: what several languages share is no proof
# Of a text's words. The first article of the Universal Declaration of Human Rights has more in the
# languages above; the same article in 400 languages, one after the other, has less.
_LEAST_SHARE = 0.05


@dataclass(slots=True)
class _Evidence:
    """What speaks for a language: how many different signals, their worth, and how often."""

    words: int = 0
    signs: int = 0
    is_long: bool = False
    worth: float = 0
    spoken: float = 0
    signed: float = 0

    def tells(self, total: int) -> bool:
        """Tell whether this shows a language in a text of `total` words.

        A longer text has more of it; names, lists and invented text have little.
        """
        wanted = 2 + (total >= _LONGER) + 2 * (total >= _LONG)
        return (
            self.words + bool(self.signs) >= wanted
            and self.is_long
            and self.worth >= _LEAST_WORTH
            and self.spoken >= _LEAST_SHARE * total
        )

    def score(self, total: int) -> float:
        """Return how strongly it speaks, to be compared with the other languages'."""
        return self.spoken + min(self.signed, total) / 2 + self.words / 10


def latin_language(words: Sequence[str], sample: str) -> str:
    """Return the language that `words` of `sample`, all lower case, speak for; "" if none.

    A language needs two different signals: two of its words, or a word and a letter. "die"
    alone must not make English German, nor "a" and "do" make it Czech.
    """
    found = _evidence(words, sample)
    scores = {
        language: each.score(len(words))
        for language, each in found.items()
        if each.tells(len(words))
    }
    likeliest = max(scores, key=lambda each: scores[each], default="")
    if likeliest in _NORDIC:
        every = [*words, *_SINGLE.findall(sample)]
        return told_apart(every, is_like_swedish=likeliest == "sv")
    return likeliest


def _evidence(words: Sequence[str], sample: str) -> Mapping[str, _Evidence]:
    found = {language: _Evidence() for language in _WORDS}
    counts = Counter(words)
    counts.update(_SINGLE.findall(sample))
    for word in counts:
        owners = _WORD_OWNERS.get(word, ())
        for language in owners:
            each = found[language]
            each.words += 1
            each.is_long |= len(word) > 1
            each.worth += 1 / len(owners)
            each.spoken += counts[word] / len(owners)
    for sign in sorted(set(sample) & _SIGN_OWNERS.keys()):
        owners = _SIGN_OWNERS[sign]
        for language in owners:
            each = found[language]
            each.signs += 1
            each.worth += 1 / len(owners)
            each.signed += sample.count(sign) / len(owners)
    return found
