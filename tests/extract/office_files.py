"""Office files made by hand: packages with a sentinel word in every hiding place."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"


def relations(entries: Mapping[str, tuple[str, str]]) -> str:
    """Return a relations part: id to (type, target); an address means outside."""
    rows = "".join(
        f'<Relationship Id="{name}" Type="{RELATION}/{kind}" Target="{target}"'
        + (' TargetMode="External"' if "://" in target else "")
        + "/>"
        for name, (kind, target) in entries.items()
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{rows}</Relationships>'


def package(path: Path, main: str, kind: str, parts: Mapping[str, str | bytes]) -> Path:
    """Write a package whose main part is `main` of content type `kind`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types><Override ContentType="{kind}"/></Types>')
        archive.writestr("_rels/.rels", relations({"rId1": ("officeDocument", main)}))
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def paragraph(text: str, properties: str = "") -> str:
    """Return a Word paragraph."""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(path: Path, body: str, **parts: str) -> Path:
    """Write a Word document; `parts` are bodies of footnotes, comments, header1, footer1, …"""
    named = {
        "rId1": ("hyperlink", "https://example.org/"),
        "rId2": ("image", "https://example.org/far.png"),
        "rId3": ("image", "media/image1.png"),
    }
    extra: dict[str, str | bytes] = {}
    for name, content in parts.items():
        kind = name.rstrip("0123456789")
        named[f"x{name}"] = (kind, f"{name}.xml")
        tag = {"header": "hdr", "footer": "ftr"}.get(kind, kind)
        extra[f"word/{name}.xml"] = f"<w:{tag} {W}>{content}</w:{tag}>"
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    extra |= {"word/document.xml": document, "word/_rels/document.xml.rels": relations(named)}
    return package(path, "word/document.xml", WORD, extra)


def text_body(text: str) -> str:
    """Return the text of a shape or of a cell on a slide."""
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def shape(text: str, kind: str = "") -> str:
    """Return a shape on a slide; `kind` makes it a placeholder."""
    place = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else ""
    return f"<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:txBody>{text_body(text)}</p:txBody></p:sp>"


def pptx(path: Path, shapes: str, notes: str = "") -> Path:
    """Write a presentation of one slide, with a chart, a diagram and notes."""
    slide = f"<p:sld {P}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
    note = f"<p:notes {P}><p:cSld><p:spTree>{shape(notes)}</p:spTree></p:cSld></p:notes>"
    chart = (
        f"<c:chartSpace {P}><c:title><c:tx>{text_body('chartword')}</c:tx></c:title></c:chartSpace>"
    )
    points = f"<dgm:dataModel {P}><dgm:pt><dgm:t>{text_body('diagramword')}</dgm:t></dgm:pt></dgm:dataModel>"  # noqa: E501
    presentation = f'<p:presentation {P}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'  # noqa: E501
    slide_relations = {
        "rId1": ("notesSlide", "../notesSlides/notes1.xml"),
        "rId2": ("chart", "../charts/chart1.xml"),
        "rId3": ("diagramData", "../diagrams/data1.xml"),
    }
    return package(
        path,
        "ppt/presentation.xml",
        SLIDES,
        {
            "ppt/presentation.xml": presentation,
            "ppt/_rels/presentation.xml.rels": relations({"rId1": ("slide", "slides/slide1.xml")}),
            "ppt/slides/slide1.xml": slide,
            "ppt/slides/_rels/slide1.xml.rels": relations(slide_relations),
            "ppt/notesSlides/notes1.xml": note,
            "ppt/charts/chart1.xml": chart,
            "ppt/diagrams/data1.xml": points,
        },
    )
