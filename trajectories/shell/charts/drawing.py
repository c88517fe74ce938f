"""SVG drawings whose shapes have their meaning as a CSS class, for a page or as a separate file.

In a page, the style sheet colours the shapes for the light or dark theme. A file has its colours as
attributes, which every SVG program understands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from django.utils.safestring import SafeString, mark_safe

FONT = "Inter, Helvetica, Arial, Liberation Sans, sans-serif"
FONT_SIZE = 12
# The average width of a letter in a wide font, in pixels.
CHAR_WIDTH = 7.8
# Attributes by class for files, with the light colours of css/lab/tokens.css. The colours of the
# series are those of Okabe and Ito (2008), which colour-blind readers can distinguish.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#56b4e9", "#555555")
STYLES: dict[str, dict[str, str]] = {
    "plot-grid": {"stroke": "#e1e4e9"},
    "plot-zero": {"stroke": "#878f9b"},
    "plot-text": {"fill": "#15181d"},
    "plot-soft": {"fill": "#59616c"},
    "plot-strong": {"fill": "#15181d", "font-weight": "600"},
    "plot-small": {"font-size": "10"},
    "plot-end": {"text-anchor": "end"},
    "plot-middle": {"text-anchor": "middle"},
    "plot-margin": {"fill": "#eef0f3"},
    "plot-whisker": {"stroke": "#2257d6", "stroke-width": "2"},
    "plot-dot": {"fill": "#2257d6"},
    "plot-hollow": {"fill": "#ffffff", "stroke": "#2257d6", "stroke-width": "1.5"},
    "plot-line": {"fill": "none", "stroke": "#2257d6", "stroke-width": "1.5"},
    "plot-dashed": {"stroke-dasharray": "5 3"},
    "plot-faint": {"opacity": "0.5"},
    "plot-alarm": {"stroke": "#bb2a23", "stroke-width": "1.5", "stroke-dasharray": "2 3"},
    "plot-heat": {"fill": "#08306b", "stroke": "#878f9b", "stroke-width": "0.5"},
    "plot-none": {"fill": "none", "stroke": "#878f9b", "stroke-dasharray": "2 2"},
    **{f"plot-ink-{number}": {"fill": colour} for number, colour in enumerate(SERIES)},
    **{
        f"plot-stroke-{number}": {"fill": "none", "stroke": colour, "stroke-width": "1.75"}
        for number, colour in enumerate(SERIES)
    },
}


def labels_width(labels: Iterable[str], *, least: float) -> float:
    """Return the width in pixels that the longest label and a gap need."""
    return max([least, *(CHAR_WIDTH * len(label) + 16 for label in labels)])


class Drawing:
    """An SVG drawing. Sizes are in CSS pixels; ``name`` is unique within a page."""

    def __init__(self, *, name: str, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height = width, height
        self._name, self._title, self._description = name, title, description
        self.shapes: list[tuple[ElementTree.Element, str]] = []

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float, **options: Any) -> None:
        self._add("line", kind, x1=x1, y1=y1, x2=x2, y2=y2, **options)

    def rect(self, kind: str, x: float, y: float, width: float, height: float, **options: Any) -> None:
        self._add("rect", kind, x=x, y=y, width=width, height=height, **options)

    def dot(self, kind: str, x: float, y: float, *, r: float = 4, **options: Any) -> None:
        self._add("circle", kind, cx=x, cy=y, r=r, **options)

    def path(self, kind: str, points: list[tuple[float, float]], *, tag: str = "polyline") -> None:
        self._add(tag, kind, points=" ".join(f"{_number(x)},{_number(y)}" for x, y in points))

    def area(self, kind: str, points: list[tuple[float, float]]) -> None:
        self.path(kind, points, tag="polygon")

    @contextmanager
    def group(self, tip: str) -> Iterator[None]:
        """Group the shapes that are drawn within the context; ``tip`` is the group's tooltip."""
        outside, self.shapes = self.shapes, []
        yield
        group = ElementTree.Element("g")
        ElementTree.SubElement(group, "title").text = tip
        group.extend(shape for shape, _ in self.shapes)
        self.shapes = [*outside, (group, "")]

    def text(self, kind: str, x: float, y: float, text: str, **options: Any) -> None:
        """Draw text, vertically centred on ``y``."""
        self._add("text", f"plot-text {kind}".strip(), x=x, y=y, dy=4, text=text, **options)

    def _add(
        self, tag: str, kind: str, *, link: str = "", tip: str = "", text: str = "", **values: Any
    ) -> None:
        attributes = {name.replace("_", "-"): _number(value) for name, value in values.items()}
        shape = ElementTree.Element(tag, {"class": kind, **attributes})
        shape.text = text or None
        if tip:
            ElementTree.SubElement(shape, "title").text = tip
        self.shapes.append((shape, link))

    def page_svg(self) -> SafeString:
        """Return the drawing as SVG for a page, with links to the episodes."""
        root = self._root({"class": "plot", "role": "group" if self._has_links else "img"})
        for shape, link in self.shapes:
            parent = ElementTree.SubElement(root, "a", {"href": link}) if link else root
            if link and (tip := shape.find("title")) is not None:
                parent.set("aria-label", str(tip.text))
            parent.append(shape)
        return mark_safe(ElementTree.tostring(root, encoding="unicode"))  # noqa: S308 (escaped by ElementTree)

    def file_svg(self) -> str:
        """Return the drawing as an SVG file for papers, on white and without links."""
        root = self._root(
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "width": _number(self.width),
                "height": _number(self.height),
                "font-family": FONT,
                "font-size": str(FONT_SIZE),
            }
        )
        ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
        root.extend(_styled(shape) for shape, _ in self.shapes)
        return ElementTree.tostring(root, encoding="unicode")

    @property
    def _has_links(self) -> bool:
        return any(link for _, link in self.shapes)

    def _root(self, attributes: dict[str, str]) -> ElementTree.Element:
        ids = f"{self._name}-title", f"{self._name}-desc"
        box = f"0 0 {_number(self.width)} {_number(self.height)}"
        root = ElementTree.Element("svg", {"viewBox": box, "aria-labelledby": " ".join(ids), **attributes})
        ElementTree.SubElement(root, "title", {"id": ids[0]}).text = self._title
        ElementTree.SubElement(root, "desc", {"id": ids[1]}).text = self._description
        return root


def _styled(shape: ElementTree.Element) -> ElementTree.Element:
    classes = shape.get("class", "").split()
    style = {name: value for kind in classes for name, value in STYLES.get(kind, {}).items()}
    own = {name: value for name, value in shape.attrib.items() if name != "class"}
    made = ElementTree.Element(shape.tag, {**style, **own})
    made.text = shape.text
    made.extend(_styled(child) for child in shape if child.tag != "title")
    return made


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{round(float(value), 1):g}"
