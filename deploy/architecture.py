"""Draws docs/images/architecture.svg from the imports: ``python -m deploy.architecture``.

A band is a floor; each box in it is a room (a folder of the app) with its sub-folders. Arrows are imports
between the rooms of a floor, minus those implied by others; circular imports are red. The coloured squares
in a box are the other floors that the room imports from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "architecture.svg"
# Floors from the top down: package, what it is for, colour.
FLOORS = (
    ("gymsite", "wiring, and what agents see", "#7c5cbf"),
    ("trajectories", "what happened", "#2b6cb0"),
    ("tasks_app", "what to solve", "#2f855a"),
    ("verifiers", "was it right? Pure, no tables", "#b7791f"),
    ("core", "knows no app", "#718096"),
)
COLOURS = {package: colour for package, _, colour in FLOORS}
LEFT_OUT = frozenset({"management", "migrations"})
WIDTH, MARGIN, GAP, PASSAGE_WIDTH = 1080, 16, 20, 16
BOX_HEIGHT, ROW_HEIGHT, HEAD_HEIGHT = 46, 84, 34
LETTER, SMALL_LETTER, LINE_CHARS = 7.8, 5.7, 165
SUBFOLDER_CHARS = 46
SWEEPS = 8
PASSAGE = ">"
NEWLINE = "\n"

Edges = dict[str, set[str]]
Rows = list[list[str]]


@dataclass
class Floor:
    """``rooms`` with their sub-folders, ``edges`` between rooms, ``others`` the floors each imports from."""

    package: str
    rooms: dict[str, list[str]] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)
    edges: Edges = field(default_factory=dict)
    others: Edges = field(default_factory=dict)


def main() -> None:
    PICTURE.write_text(picture_draw(floors_read()), "utf-8")


# ---- reading the imports
def floors_read() -> list[Floor]:
    packages = list(COLOURS)
    graph = grimp.build_graph(*packages, cache_dir=None)
    floors = {package: _floor(graph, package) for package in packages}
    for module in graph.modules:
        floor, room = floors[module.partition(".")[0]], _room(module)
        if room not in floor.rooms:
            continue
        for imported in graph.find_modules_directly_imported_by(module):
            package, other = imported.partition(".")[0], _room(imported)
            if package != floor.package:
                floor.others[room].add(package)
            elif other in floor.rooms and other != room:
                floor.edges[room].add(other)
    return list(floors.values())


def _floor(graph: grimp.ImportGraph, package: str) -> Floor:
    floor = Floor(package)
    for child in sorted(graph.find_children(package)):
        inside = graph.find_children(child)
        if not inside:
            floor.modules.append(_room(child))
        elif _room(child) not in LEFT_OUT:
            folders = sorted(name.rpartition(".")[2] for name in inside if graph.find_children(name))
            floor.rooms[_room(child)] = folders
            floor.edges[_room(child)], floor.others[_room(child)] = set(), set()
    return floor


def _room(module: str) -> str:
    return "".join(module.split(".")[1:2])


# ---- arrows and layout
def arrows_reduce(edges: Edges) -> tuple[Edges, Edges]:
    """The edges not implied by others, and the edges that are part of a circle."""
    below = {node: _reachable(edges, node) for node in edges}
    circles = {a: {b for b in edges[a] if a in below[b]} for a in edges}
    acyclic = {a: edges[a] - circles[a] for a in edges}
    below = {node: _reachable(acyclic, node) for node in acyclic}
    return {a: acyclic[a] - {c for b in acyclic[a] for c in below[b]} for a in acyclic}, circles


def _reachable(edges: Edges, start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(edges[node])
    return reached


def rows_arrange(edges: Edges) -> tuple[Rows, Edges]:
    """Rooms in rows, with every edge pointing down; an edge across several rows runs through passages."""
    depth: dict[str, int] = {}
    while len(depth) < len(edges):
        for node in edges.keys() - depth.keys():
            if edges[node] <= depth.keys():
                depth[node] = 1 + max((depth[below] for below in edges[node]), default=-1)
    chained: Edges = {node: set() for node in edges}
    for upper, lower in sorted((a, b) for a in edges for b in edges[a]):
        last = upper
        for row in range(depth[upper] - 1, depth[lower], -1):
            passage = f"{upper}{PASSAGE}{lower}{PASSAGE}{row}"
            depth[passage] = row
            chained[last].add(passage)
            chained[passage] = set()
            last = passage
        chained[last].add(lower)
    rows: Rows = [
        sorted(n for n in depth if depth[n] == row) for row in range(max(depth.values(), default=0), -1, -1)
    ]
    return _untangled(rows, chained), chained


def _untangled(rows: Rows, edges: Edges) -> Rows:
    """Order each row by the mean position of its neighbours, sweeping down and up in turn."""
    above: Edges = {node: {a for a in edges if node in edges[a]} for node in edges}
    for sweep in range(SWEEPS):
        neighbours = above if sweep % 2 == 0 else edges
        rows = rows if sweep % 2 == 0 else rows[::-1]
        for fixed, row in pairwise(rows):
            place = {node: (i + 0.5) / len(fixed) for i, node in enumerate(fixed)}
            own = {node: (i + 0.5) / len(row) for i, node in enumerate(row)}
            places = {node: [place[other] for other in neighbours[node]] or [own[node]] for node in row}
            mean = {node: sum(values) / len(values) for node, values in places.items()}
            row.sort(key=lambda node, mean=mean: (mean[node], node))  # type: ignore[misc]
        rows = rows if sweep % 2 == 0 else rows[::-1]
    return rows


# ---- drawing
def picture_draw(floors: list[Floor]) -> str:
    parts: list[str] = []
    top = MARGIN
    for floor, (_, purpose, _) in zip(floors, FLOORS, strict=True):
        reduced, circles = arrows_reduce(floor.edges)
        rows, chained = rows_arrange(reduced)
        listed = _lines("modules: " + ", ".join(floor.modules)) if floor.modules else []
        height = HEAD_HEIGHT + (len(rows) * ROW_HEIGHT - ROW_HEIGHT + BOX_HEIGHT if floor.rooms else 0)
        height += 14 + 15 * len(listed)
        parts += _band(floor.package, purpose, top=top, height=height)
        boxes = _boxes(floor, rows, top=top + HEAD_HEIGHT)
        parts += _arrows(boxes, chained, circles)
        for room in floor.rooms:
            parts += _box(floor, room, *boxes[room])
        bottom = top + height - 9
        for number, line in enumerate(reversed(listed)):
            parts.append(f'<text class="small" x="{MARGIN + 14}" y="{bottom - 15 * number}">{line}</text>')
        top += height + 14
    return _document(parts, height=top + MARGIN - 14)


def _lines(text: str) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > LINE_CHARS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [escape(line) for line in lines]


def _band(package: str, purpose: str, *, top: int, height: int) -> Iterator[str]:
    colour = COLOURS[package]
    yield (
        f'<rect x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" height="{height}" rx="8" '
        f'fill="{colour}" fill-opacity="0.08" stroke="{colour}"/>'
    )
    yield (
        f'<text class="floor" x="{MARGIN + 14}" y="{top + 21}">{package}'
        f'<tspan class="small" dx="10">{escape(purpose)}</tspan></text>'
    )


def _boxes(floor: Floor, rows: Rows, *, top: int) -> dict[str, tuple[float, float, float]]:
    """Left edge, top and width of each room and passage."""
    boxes = {}
    for number, row in enumerate(rows):
        widths = [_width(floor, node) for node in row]
        space = max(GAP, (WIDTH - 4 * MARGIN - sum(widths)) / (len(row) + 1)) if row else GAP
        left = max(2.0 * MARGIN, (WIDTH - sum(widths) - space * (len(row) - 1)) / 2)
        for node, width in zip(row, widths, strict=True):
            boxes[node] = (left, float(top + number * ROW_HEIGHT), width)
            left += width + space
    return boxes


def _width(floor: Floor, node: str) -> float:
    if PASSAGE in node:
        return PASSAGE_WIDTH
    name = len(node) * LETTER + 13 * len(floor.others[node]) + 10
    return max(name + 22, len(_subfolders(floor, node)) * SMALL_LETTER + 22, 84)


def _subfolders(floor: Floor, room: str) -> str:
    names = ", ".join(floor.rooms[room])
    return names if len(names) <= SUBFOLDER_CHARS else names[:SUBFOLDER_CHARS].rpartition(",")[0] + ", …"


def _box(floor: Floor, room: str, left: float, top: float, width: float) -> Iterator[str]:
    colour, names = COLOURS[floor.package], _subfolders(floor, room)
    yield (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="5" fill="#fff" '
        f'stroke="{colour}"/>'
    )
    yield f'<text class="room" x="{left + 11:.0f}" y="{top + (20 if names else 28):.0f}">{room}</text>'
    if names:
        yield f'<text class="small" x="{left + 11:.0f}" y="{top + 37:.0f}">{escape(names)}</text>'
    lower = [package for package in COLOURS if package in floor.others[room]]
    for number, package in enumerate(reversed(lower)):
        x = left + width - 18 - 13 * number
        yield f'<rect x="{x:.0f}" y="{top + 8:.0f}" width="10" height="10" rx="2" fill="{COLOURS[package]}"/>'


def _arrows(boxes: dict[str, tuple[float, float, float]], chained: Edges, circles: Edges) -> Iterator[str]:
    for upper, lower in sorted((a, b) for a in chained for b in chained[a]):
        (left, top, width), (to_left, to_top, to_width) = boxes[upper], boxes[lower]
        x, y, to_x = left + width / 2, top + BOX_HEIGHT, to_left + to_width / 2
        middle = (y + to_top) / 2
        path = f"M{x:.0f},{y:.0f} C{x:.0f},{middle:.0f} {to_x:.0f},{middle:.0f} {to_x:.0f},{to_top:.0f}"
        if PASSAGE in lower:
            path += f" V{to_top + BOX_HEIGHT:.0f}"
        end = "" if PASSAGE in lower else ' marker-end="url(#head)"'
        yield f'<path class="arrow" d="{path}"{end}/>'
    for upper, lower in sorted((a, b) for a in circles for b in circles[a]):
        (left, top, width), (to_left, to_top, to_width) = boxes[upper], boxes[lower]
        yield (
            f'<path class="arrow circle" d="M{left + width / 2:.0f},{top + BOX_HEIGHT / 2:.0f} '
            f'L{to_left + to_width / 2:.0f},{to_top + BOX_HEIGHT / 2:.0f}"/>'
        )


def _document(parts: list[str], *, height: int) -> str:
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"
  role="img" aria-label="The rooms of Palaestra on their floors, and the imports between them">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1a202c }}
.floor {{ font-weight: 700; font-size: 15px }}
.room {{ font-weight: 600 }}
.small {{ font-size: 11px; font-weight: 400; fill: #4a5568 }}
.arrow {{ fill: none; stroke: #4a5568; stroke-width: 1.2 }}
.circle {{ stroke: #c53030; stroke-width: 3 }}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#4a5568"/></marker></defs>
<rect width="{WIDTH}" height="{height}" fill="#fff"/>
{NEWLINE.join(parts)}
</svg>
"""


if __name__ == "__main__":
    main()
