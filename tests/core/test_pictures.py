"""Pictures in text: references, galleries, and links that hold everywhere."""

from __future__ import annotations

from vaultd.core.pictures import (
    around,
    gallery,
    picture_paths,
    relative_link,
    with_pictures,
    without_pictures,
)
from vaultd.model.document import ExtractedImage, ExtractedPage
from vaultd.model.paths import VaultPath

FOLDER = VaultPath("wiki/media/paper-1")


def _image(sha: str, page: int | None = None, **fields: str) -> ExtractedImage:
    return ExtractedImage(sha, page, 100, 80, "png", **fields)  # type: ignore[arg-type]


def test_equal_pictures_share_one_file() -> None:
    paths = picture_paths(FOLDER, [_image("a"), _image("b"), _image("a")])

    assert paths == [f"{FOLDER}/image1.png", f"{FOLDER}/image2.png", f"{FOLDER}/image1.png"]


def test_a_placed_picture_keeps_its_place_and_gains_its_description() -> None:
    pages = [ExtractedPage(None, "Before ![](image1) after.")]
    images = [_image("a", alt="A chart")]

    (page,) = with_pictures(pages, images, picture_paths(FOLDER, images))

    assert page.text == "Before ![A chart](media/paper-1/image1.png) after."


def test_a_picture_without_a_place_stands_at_the_end_of_its_page() -> None:
    pages = [ExtractedPage(1, "One."), ExtractedPage(2, "Two."), ExtractedPage(3, "Three.")]
    images = [_image("a", 2, caption="Figure 1"), _image("b", 9)]

    first, second, third = with_pictures(pages, images, picture_paths(FOLDER, images))

    assert first.text == "One."
    assert second.text == "Two.\n\n![Figure 1](media/paper-1/image1.png)"
    assert third.text == "Three.\n\n![](media/paper-1/image2.png)"


def test_stripping_pictures_leaves_the_text_and_the_links() -> None:
    text = "See ![a](b.png) and ![[c.png|300]] and [d](e.png) and [[f]]."

    assert without_pictures(text) == "See   and   and [d](e.png) and [[f]]."


def test_the_gallery_links_from_the_folder_of_its_page() -> None:
    images = [_image("a", 3, alt="A [chart]", caption="Figure 1: growth")]
    note = VaultPath("wiki/sources/ml/My paper.md")

    text = gallery(images, picture_paths(FOLDER, images), note=note, language="en")

    assert "![A (chart)](../../media/paper-1/image1.png)" in text
    assert "### Page 3" in text
    assert "\n\nFigure 1: growth" in text


def test_a_long_caption_stands_once_and_its_beginning_describes_the_picture() -> None:
    caption = "Figure 5. A tree with two traces. " + "The trunk holds a guard. " * 10
    images = [_image("a", caption=caption)]

    text = gallery(
        images, picture_paths(FOLDER, images), note=VaultPath("wiki/a.md"), language="en"
    )

    assert "![Figure 5. A tree with two traces.](media/paper-1/image1.png)" in text
    assert text.count("The trunk holds a guard.") == 10


def test_links_are_percent_encoded() -> None:
    link = relative_link(VaultPath("wiki/a.md"), VaultPath("wiki/media/第 1/image1.png"))

    assert link == "media/%E7%AC%AC%201/image1.png"


def test_the_text_around_a_picture_is_cut() -> None:
    pages = [ExtractedPage(1, "x" * 300 + "![](image1)" + "y" * 300)]

    assert around(pages, 1, 1) == ("x" * 150, "y" * 150)
