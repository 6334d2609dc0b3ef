"""What is read from a model's reply, and what is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.block_path import clean_path, path_fault
from vaultd.core.draft import page_draft
from vaultd.core.reply import parse_reply
from vaultd.core.thinking import without_thinking
from vaultd.model.wiki import ReviewKind

HEAD = "---\ntype: concept\ntitle: A\n---\n\n"
BODY = "# A\n\nText."


def block(path: str = "wiki/concepts/a.md", body: str = HEAD + BODY) -> str:
    return f"---FILE: {path}---\n{body}\n---END FILE---\n"


@dataclass(frozen=True)
class Expected:
    """A row of EXPECTED.md as far as it concerns reading a reply."""

    pages: int
    warnings: tuple[int, int]  # least and most
    truncated: tuple[str, ...] = ()
    refused: int = 0
    reviews: int = 2
    log: bool = True


TABLE = {
    "unclosed-last-block": Expected(
        5, (1, 1), ("wiki/concepts/amortized-up-front-cost.md",), 1, reviews=0, log=False
    ),
    "missing-closer-in-the-middle": Expected(5, (1, 1), ("wiki/concepts/trace-tree.md",), 1),
    "fence-around-all": Expected(5, (0, 1)),
    "fence-around-each": Expected(6, (0, 6)),
    "think-block": Expected(6, (0, 0)),
    "unclosed-think": Expected(0, (1, 1), reviews=0, log=False),
    "crlf": Expected(4, (0, 0)),
    "marker-case-and-spaces": Expected(6, (0, 0)),
    "end-marker-inside-code-fence": Expected(4, (0, 0)),
    "unbalanced-fence-in-body": Expected(6, (1, 1)),
    "empty-path": Expected(5, (1, 1), refused=1),
    "traversal": Expected(1, (5, 5), refused=5),
    "windows-device-name": Expected(3, (3, 3), refused=3),
    "duplicate-path": Expected(6, (1, 1), refused=1),
    "frontmatter-missing-opener": Expected(5, (0, 5)),
    "frontmatter-key-prefix": Expected(6, (0, 6)),
    "title-with-colon-unquoted": Expected(6, (0, 6)),
    "tags-as-mapping": Expected(6, (3, 6)),
    "wrong-language-page": Expected(5, (0, 0)),
    "prose-before-and-after": Expected(6, (0, 0)),
    "index-and-overview-blocks": Expected(4, (2, 2), refused=2),
    "remote-image-and-iframe": Expected(6, (0, 6)),
    "claims-from-another-document": Expected(6, (0, 6)),
}
LEAKS = re.compile(r"^(?:---\s*(?:END )?(?:FILE|REVIEW)|<think>|(?:type|title|tags):)", re.M | re.I)


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def test_the_table_names_every_damaged_reply(shared: Path) -> None:
    folder = shared / "cases/replies/broken"

    assert {path.stem for path in folder.glob("*.txt")} == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_damaged_reply_is_read_as_expected(name: str, shared: Path) -> None:
    expected = TABLE[name]
    reply = parse_reply(read(shared / f"cases/replies/broken/{name}.txt"))
    drafts = [page_draft(file) for file in reply.files]
    warnings = [*reply.warnings, *(w for draft in drafts for w in draft.warnings)]

    assert len(drafts) == expected.pages
    assert all(draft.page for draft in drafts)
    assert expected.warnings[0] <= len(warnings) <= expected.warnings[1]
    assert all(re.search(r"wiki|raw|\.\.|no path", warning) for warning in warnings)
    assert reply.truncated == expected.truncated
    assert len(reply.refused) == expected.refused
    assert all(refused.text for refused in reply.refused)
    assert len(reply.reviews) == expected.reviews
    assert bool(reply.log) is expected.log
    for draft in drafts:
        assert draft.page is not None
        assert name == "end-marker-inside-code-fence" or not LEAKS.search(draft.page.body)


def test_crlf_gives_the_same_pages_as_lf(shared: Path) -> None:
    folder = shared / "cases/replies"

    damaged = parse_reply(read(folder / "broken/crlf.txt"))

    assert damaged == parse_reply(read(folder / "docx-rich-zh/generation.txt"))


def test_an_example_in_a_fence_stays_whole(shared: Path) -> None:
    reply = parse_reply(read(shared / "cases/replies/broken/end-marker-inside-code-fence.txt"))
    (page,) = [file for file in reply.files if "解析测试样例" in file.path]

    assert "````text\n---FILE: wiki/concepts/example.md---" in page.text
    assert "---END FILE---\n````" in page.text


def test_the_longer_first_block_stands(shared: Path) -> None:
    reply = parse_reply(read(shared / "cases/replies/broken/duplicate-path.txt"))
    (page,) = [file for file in reply.files if file.path.endswith("pierre-bezukhov.md")]

    assert len(page.text) > len(reply.refused[0].text)


@pytest.mark.parametrize(
    ("kind", "title"),
    [("contradiction", ReviewKind.CONTRADICTION), ("missing-page", ReviewKind.MISSING_PAGE)],
)
def test_reviews_of_a_good_reply_are_read_whole(kind: str, title: ReviewKind, shared: Path) -> None:
    reply = parse_reply(read(shared / "cases/replies/pdf-dpr-two-column/generation.txt"))
    (review,) = [review for review in reply.reviews if review.kind is title]

    assert review.options == ("Create Page", "Skip")
    assert review.pages
    assert review.text
    assert bool(review.searches) is (kind == "missing-page")


# Shapes met in the wild: reply, accepted paths, truncated paths, refused.
ONE = ("wiki/concepts/a.md",)
SHAPES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], int]] = {
    "plain": (block(), ONE, (), 0),
    "byte order mark": ("\ufeff" + block(), ONE, (), 0),
    "old Mac line ends": (block().replace("\n", "\r"), ONE, (), 0),
    "mixed line ends": (block().replace("\n", "\r\n", 3), ONE, (), 0),
    "no line end at the end": (block().rstrip("\n"), ONE, (), 0),
    "more dashes": (
        block().replace("---FILE", "-----FILE").replace("md---", "md-----"),
        ONE,
        (),
        0,
    ),
    "no dashes behind the path": (block().replace(".md---", ".md"), ONE, (), 0),
    "spaces everywhere": (
        "  ---  file :  wiki/concepts/a.md  ---  \nx\n --- end  file --- ",
        ONE,
        (),
        0,
    ),
    "underscore in the closer": (block().replace("END FILE", "END_FILE"), ONE, (), 0),
    "path in the closer": (block().replace("END FILE", "END FILE: wiki/concepts/a.md"), ONE, (), 0),
    "path in backticks": (block("`wiki/concepts/a.md`"), ONE, (), 0),
    "path in bold": (block("**wiki/concepts/a.md**"), ONE, (), 0),
    "path in quotes": (block('"wiki/concepts/a.md"'), ONE, (), 0),
    "backslashes": (block("wiki\\concepts\\a.md"), ONE, (), 0),
    "dashes in the path": (block("wiki/concepts/a---b.md"), ("wiki/concepts/a---b.md",), (), 0),
    "two dots in a name": (block("wiki/concepts/a..b.md"), ("wiki/concepts/a..b.md",), (), 0),
    "spaces in the path": (block("wiki/concepts/A b.md"), ("wiki/concepts/A b.md",), (), 0),
    "decomposed letters": (block("wiki/concepts/e\u0301.md"), ("wiki/concepts/\u00e9.md",), (), 0),
    "closed by the wrong closer": (block().replace("END FILE", "END REVIEW"), ONE, (), 0),
    "fence around all": (f"```\n{block()}```", ONE, (), 0),
    "labelled fence around all": (f"```markdown\n{block()}```\nDone.", ONE, (), 0),
    "tildes around all": (f"~~~\n{block()}~~~", ONE, (), 0),
    "fence around each": (
        f"```md\n{block()}```\n\n```md\n{block('wiki/b.md')}```",
        (*ONE, "wiki/b.md"),
        (),
        0,
    ),
    "fence inside": (block(body=f"```markdown\n{HEAD}{BODY}\n```"), ONE, (), 0),
    "fence inside with code": (block(body=f"```md\n{HEAD}```py\nx\n```\n{BODY}\n```"), ONE, (), 0),
    "talk around": (f"Sure! Here:\n\n{block()}\nAnything else?", ONE, (), 0),
    "rule between": (f"---\n{block()}---\n{block('wiki/b.md')}---", (*ONE, "wiki/b.md"), (), 0),
    "closed thinking": (f"<think>\n{block('wiki/draft.md')}</think>\n{block()}", ONE, (), 0),
    "thinking in capitals": (f"<THINK>x</THINK>\n{block()}", ONE, (), 0),
    "other thinking tag": (f"<thinking>\n{block('wiki/d.md')}</thinking>\n{block()}", ONE, (), 0),
    "nested thinking": (
        f"<think>a<think>b</think>\n{block('wiki/d.md')}</think>\n{block()}",
        ONE,
        (),
        0,
    ),
    "thinking without its opener": (
        f"Let me see.\n{block('wiki/d.md')}</think>\n{block()}",
        ONE,
        (),
        0,
    ),
    "thinking twice": (f"<think>a</think>\n{block()}<think>b</think>", ONE, (), 0),
    "thinking on one line": (f"<think>a</think>{block()}", ONE, (), 0),
    "thinking inside a page": (
        block(body=f"{HEAD}{BODY}\n<think>Good?</think>\nMore."),
        ONE,
        (),
        0,
    ),
    "thinking cut after a page": (f"{block()}<think>Now the next", ONE, (), 0),
    "thinking cut": (f"<think>{block()}", (), (), 0),
    "thinking tag in code": (block(body=f"{HEAD}{BODY}\n\n```\n<think>\n```"), ONE, (), 0),
    "fence before thinking": (f"```\n<think>a</think>\n{block()}```", ONE, (), 0),
    "last block cut": (block() + "---FILE: wiki/b.md---\ntext", ONE, ("wiki/b.md",), 1),
    "cut right behind the opener": (block() + "---FILE: wiki/b.md---", ONE, ("wiki/b.md",), 1),
    "cut inside the opener": (block() + "---FILE: wiki/b", ONE, (), 0),
    "cut inside the closer": (
        block() + "---FILE: wiki/b.md---\nx\n---END FI",
        ONE,
        ("wiki/b.md",),
        1,
    ),
    "closer missing": (
        block().replace("---END FILE---", "") + block("wiki/b.md"),
        ("wiki/b.md",),
        ONE,
        1,
    ),
    "closer missing before a review": (
        block().replace("---END FILE---", "") + "---REVIEW: suggestion | T---\nx\n---END REVIEW---",
        (),
        ONE,
        1,
    ),
    "cut, then whole": ("---FILE: wiki/concepts/a.md---\nx\n" + block(), ONE, (), 1),
    "whole, then cut": (block() + "---FILE: wiki/concepts/a.md---\nx", ONE, (), 1),
    "opener twice": ("---FILE: wiki/concepts/a.md---\n" + block(), ONE, (), 1),
    "closer twice": (block() + "---END FILE---\n" + block("wiki/b.md"), (*ONE, "wiki/b.md"), (), 0),
    "cut while the end is marked": (
        "---FILE: wiki/b.md---\nx\n---END OF REPLY---",
        (),
        ("wiki/b.md",),
        1,
    ),
    "end marked too early": (
        block() + "---END OF REPLY---\n" + block("wiki/b.md"),
        (*ONE, "wiki/b.md"),
        (),
        0,
    ),
    "empty block": (block(body=""), (), ONE, 1),
    "blank block": (block(body="  \n\t\n"), (), ONE, 1),
    "no path": (block(""), (), (), 1),
    "the same path in other case": (block() + block("wiki/Concepts/A.md"), ONE, (), 1),
    "not Markdown": (block("wiki/concepts/a.html"), (), (), 1),
    "no ending": (block("wiki/concepts/a"), (), (), 1),
    "a dot folder": (block("wiki/.obsidian/a.md"), (), (), 1),
    "above the vault": (block("wiki/../../a.md"), (), (), 1),
    "drive letter": (block("C:\\wiki\\a.md"), (), (), 1),
    "network path": (block("\\\\host\\wiki\\a.md"), (), (), 1),
    "pictures folder": (block("wiki/media/x/a.md"), (), (), 1),
    "reviews folder": (block("wiki/reviews/a.md"), (), (), 1),
    "wiki alone": (block("wiki.md"), (), (), 1),
    "address as path": (block("https://x.example/wiki/a.md"), (), (), 1),
    "alternate stream": (block("wiki/a.md:x.md"), (), (), 1),
    "trailing dot in a folder": (block("wiki/a./b.md"), (), (), 1),
    "control character": (block("wiki/a\tb.md"), (), (), 1),
    "index in a folder": (block("wiki/concepts/index.md"), ("wiki/concepts/index.md",), (), 0),
    "index in capitals": (block("wiki/INDEX.md"), (), (), 1),
    "nothing": ("", (), (), 0),
    "refusal": ("I cannot help with that.", (), (), 0),
    "example in a long fence": (
        block(body=f"{HEAD}{BODY}\n\n````\n{block('wiki/example.md')}{block('wiki/e2.md')}````"),
        ONE,
        (),
        0,
    ),
    "stray fence": (
        block(body=f"{HEAD}{BODY}\n\n```py\nx") + block("wiki/b.md", HEAD + "```\ny\n```"),
        (*ONE, "wiki/b.md"),
        (),
        0,
    ),
    "stray fence in the last block": (block(body=f"{HEAD}{BODY}\n\n```py\nx"), ONE, (), 0),
}


def test_there_are_sixty_shapes() -> None:
    assert len(SHAPES) >= 60


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_of_the_wild_is_read_or_refused(name: str) -> None:
    text, accepted, truncated, refused = SHAPES[name]

    reply = parse_reply(text)

    assert tuple(file.path for file in reply.files) == accepted
    assert reply.truncated == truncated
    assert len(reply.refused) == refused
    for file in reply.files:
        page = page_draft(file).page
        assert page is not None
        assert "Good?" not in page.body
        assert not page.body.startswith(("---", "```md", "```markdown"))


@pytest.mark.parametrize(
    "device", ["con", "PRN", "aux.x", "nul", "Com1", "lpt9.tar", "COM¹", "con "]
)
def test_device_names_are_refused_on_every_system(device: str) -> None:
    assert path_fault(f"wiki/concepts/{device}.md") == "device name of Windows"
    assert path_fault(f"wiki/{device}/a.md")


@pytest.mark.parametrize("name", ["console", "auxiliary", "com10", "lpt", "nulls", "conx.y"])
def test_names_that_only_look_like_devices_pass(name: str) -> None:
    assert path_fault(f"wiki/concepts/{name}.md") == ""


@pytest.mark.parametrize(
    ("text", "title", "kind"),
    [
        ("---REVIEW: Missing_Page | T---\nx\n---END REVIEW---", "T", ReviewKind.MISSING_PAGE),
        ("---review: MISSING PAGE|T---\nx\n---end review---", "T", ReviewKind.MISSING_PAGE),
        ("---REVIEW: oddity | T---\nx\n---END REVIEW---", "T", ReviewKind.CONFIRM),
        ("---REVIEW: suggestion | A | B---\nx\n---END FILE---", "A | B", ReviewKind.SUGGESTION),
    ],
)
def test_a_review_is_read_in_any_spelling(text: str, title: str, kind: ReviewKind) -> None:
    (review,) = parse_reply(text).reviews

    assert (review.title, review.kind, review.text) == (title, kind, "x")


def test_the_fields_of_a_review_are_lists() -> None:
    (review,) = parse_reply(
        "---REVIEW: suggestion | T---\nWhy.\noptions: Create Page | Skip\n"
        "PAGES: [[wiki/a.md|A]], wiki/b.md, wiki/b.md\nSEARCH: one | two |\n---END REVIEW---"
    ).reviews

    assert review.options == ("Create Page", "Skip")
    assert review.pages == ("wiki/a.md", "wiki/b.md")
    assert review.searches == ("one", "two")
    assert review.text == "Why."


@pytest.mark.parametrize(
    "text", ["---REVIEW: x---\ny", "---REVIEW: suggestion |---\nx\n---END REVIEW---"]
)
def test_a_review_that_is_not_whole_is_refused(text: str) -> None:
    reply = parse_reply(text)

    assert reply.reviews == ()
    assert len(reply.refused) == 1
    assert reply.asked_review


tokens = st.sampled_from(
    [
        "---FILE: wiki/a.md---",
        "---FILE: wiki/b/c.md---",
        "---FILE: ../x.md---",
        "---FILE: ---",
        "--- end file ---",
        "---END FILE---",
        "---REVIEW: suggestion | T---",
        "---END REVIEW---",
        "---END OF REPLY---",
        "```",
        "````text",
        "~~~",
        "<think>",
        "</think>",
        "---",
        "type: concept",
        "frontmatter:",
        "tags: [a, {b: c}]",
        "# Heading",
        "",
        "Text.",
        "\r",
        "\ufeff",
    ]
)
replies = st.lists(tokens | st.text(max_size=8), max_size=24).map("\n".join)


@given(replies)
def test_any_reply_is_read_without_error_and_every_page_is_safe(text: str) -> None:
    reply = parse_reply(text)

    paths = [file.path for file in reply.files]
    assert len({path.casefold() for path in paths}) == len(paths)
    assert all(path_fault(path) == "" for path in [*paths, *reply.truncated])
    assert not set(paths) & set(reply.truncated)
    for file in reply.files:
        drafted = page_draft(file)
        assert drafted.page is None or drafted.page.body.strip()


@given(replies)
def test_line_ends_make_no_difference(text: str) -> None:
    unix = text.replace("\r", "")

    assert parse_reply(unix.replace("\n", "\r\n")) == parse_reply(unix)


@given(replies)
def test_reading_thinking_away_twice_is_once(text: str) -> None:
    once = without_thinking(text)

    assert once.cut or without_thinking(once.text).text == once.text or "<" in once.text


@given(st.lists(st.text(alphabet="abc #é中", min_size=1, max_size=20), min_size=1, max_size=5))
def test_whole_pages_come_out_as_they_went_in(bodies: list[str]) -> None:
    given_pages = {f"wiki/p{n}.md": f"x{body}x" for n, body in enumerate(bodies)}

    reply = parse_reply("\n".join(block(path, body) for path, body in given_pages.items()))

    assert {file.path: file.text for file in reply.files} == given_pages


@given(st.text(max_size=40))
def test_a_path_is_safe_or_refused(written: str) -> None:
    path = clean_path(f"wiki/{written}")

    if path_fault(path) == "":
        assert path.startswith("wiki/")
        assert path.lower().endswith(".md")
        assert not {"..", "", "."} & set(path.split("/"))
        assert clean_path(path) == path or written.strip() != written


def test_a_hostile_reply_takes_linear_time() -> None:
    hostile = "---FILE: wiki/a.md---\n" + "```x\n" * 20_000

    assert parse_reply(hostile).truncated == ("wiki/a.md",)
