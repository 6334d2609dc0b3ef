"""Near-names: is a page about to be made that exists under another spelling?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vaultd.core.block_path import same_path
from vaultd.model.wiki import PageRef

_ARTICLES = frozenset(("the", "a", "an"))
# Company forms name the same company; every other word may tell two things apart.
_FORMS = frozenset(("ltd", "limited", "inc", "incorporated", "corp", "corporation", "llc", "gmbh"))
_WORD = re.compile(r"[^\W_]+[+#]*")
_IN_BRACKETS = re.compile(r"^(.{2,}?)\s*[(（]([^()（）]{2,})[)）]\s*$")
_NOT_PLURAL = ("ss", "us", "is", "os")


def normal_form(title: str) -> tuple[str, ...]:
    """Return the words of a title under which spellings of one name meet.

    Case, hyphens, articles, company forms and an English plural do not matter; every number and
    every other word does.
    """
    words = [word for word in _WORD.findall(same_path(title)) if word not in _ARTICLES]
    if len(words) > 1 and words[-1] in _FORMS:
        words = words[:-1]
    return tuple(_singular(word) for word in words)


def names_of(title: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
    """Return every name of a page; "Dense retrieval (DPR)" has three."""
    names = [title, *aliases]
    for name in tuple(names):
        match = _IN_BRACKETS.match(name)
        if match and _is_short_for(match[2], match[1]):
            names += match[1], match[2]
    return tuple(dict.fromkeys(name for name in names if name.strip()))


@dataclass(frozen=True, slots=True)
class NearNames:
    """The names of all pages, ready to be asked."""

    pages: Mapping[tuple[str, ...], tuple[PageRef, ...]]

    @classmethod
    def over(cls, pages: Sequence[PageRef]) -> NearNames:
        """Index `pages` by the normal form of each of their names."""
        found: dict[tuple[str, ...], list[PageRef]] = {}
        for page in pages:
            for name in names_of(page.title, page.aliases):
                form = normal_form(name)
                if form and page not in found.setdefault(form, []):
                    found[form].append(page)
        return cls({form: tuple(refs) for form, refs in found.items()})

    def find(self, title: str, aliases: Iterable[str] = ()) -> PageRef | None:
        """Return the page that has one of these names already; None if no, or more than one, does.

        The title decides where it is known; else the other names have to agree on one page.
        """
        own, *others = names_of(title, aliases) or (title,)
        there = self.pages.get(normal_form(own), ())
        if there:
            exact = [page for page in there if same_path(page.title) == same_path(title)]
            chosen = exact or list(there)
            return chosen[0] if len(chosen) == 1 else None
        meant = {
            page.path: page for name in others for page in self.pages.get(normal_form(name), ())
        }
        same_title = [
            page
            for page in meant.values()
            if _words_agree(title, names_of(page.title, page.aliases))
        ]
        return same_title[0] if len(same_title) == 1 else None


def _words_agree(title: str, names: Sequence[str]) -> bool:
    """An alias alone does not make two pages one when their titles differ in a number."""
    numbers = {word for word in normal_form(title) if any(map(str.isdigit, word))}
    theirs = [{word for word in normal_form(name) if any(map(str.isdigit, word))} for name in names]
    return any(numbers == other for other in theirs)


def _is_short_for(short: str, long: str) -> bool:
    letters = [word[0] for word in _WORD.findall(same_path(long))]
    wanted = [letter for letter in same_path(short) if letter.isalpha()]
    latin = short.isascii()
    return (not latin) or wanted == letters or wanted == [x for x in letters if x not in "aot"]


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.isascii() or not word.isalpha() or word.endswith(_NOT_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word.removesuffix("s")
