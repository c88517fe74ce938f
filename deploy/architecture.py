"""Draws docs/images/architecture.svg from the imports: ``python -m deploy.architecture``.

Each band is a floor (an app), and each box in it is a room (a folder of the app) with its sub-folders. Arrows
are imports between the rooms of a floor, except those that other arrows imply. The coloured squares in a box
show which other floors the room imports from.
"""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
from django.template import Context, Engine

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "architecture.svg"
TEMPLATE = Path(__file__).with_name("architecture.svg")
# Floors from the top down: package, purpose, colour.
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
BOX_HEIGHT, ROW_HEIGHT, HEAD_HEIGHT, LINE_HEIGHT, FOOT_HEIGHT = 46, 84, 34, 15, 14
LETTER, SMALL_LETTER, LINE_CHARS, SUBFOLDER_CHARS = 7.8, 5.7, 165, 46
SWEEPS = 8  # even, so that the last sweep goes up
PASSAGE = ">"

Edges = dict[str, set[str]]
Rows = list[list[str]]


@dataclass
class Room:
    """A folder of an app, or a passage, which is a place where an arrow crosses a row of rooms."""

    name: str
    subfolders: str = ""
    floors: frozenset[str] = frozenset()
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        if PASSAGE in self.name:
            return PASSAGE_WIDTH
        head = len(self.name) * LETTER + 13 * len(self.floors) + 32
        return max(head, len(self.subfolders) * SMALL_LETTER + 22, 84)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def squares(self) -> list[dict[str, Any]]:
        lower = [package for package in COLOURS if package in self.floors]
        right = self.width - 18
        return [{"x": right - 13 * n, "colour": COLOURS[name]} for n, name in enumerate(reversed(lower))]


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")  # templates need it to format numbers
    PICTURE.write_text(picture_draw(), "utf-8")


def picture_draw() -> str:
    graph = grimp.build_graph(*COLOURS, cache_dir=None)
    floors, top = [], MARGIN
    for package, purpose, colour in FLOORS:
        floor = _floor(graph, package, top)
        floors.append({"package": package, "purpose": purpose, "colour": colour, "top": top, **floor})
        top += floor["height"] + MARGIN
    sizes = {"width": WIDTH, "margin": MARGIN, "band_width": WIDTH - 2 * MARGIN, "box_height": BOX_HEIGHT}
    context = {"floors": floors, "height": top, **sizes}
    return Engine().from_string(TEMPLATE.read_text("utf-8")).render(Context(context))


def _floor(graph: grimp.ImportGraph, package: str, top: int) -> dict[str, Any]:
    """Return a floor's height and the elements to draw on it."""
    rooms, edges = _rooms_read(graph, package)
    rows, chained = rows_arrange(edges)
    for number, row in enumerate(rows):
        _row_place([rooms.setdefault(n, Room(n)) for n in row], top + HEAD_HEIGHT + number * ROW_HEIGHT)
    modules = [
        child.rpartition(".")[2] for child in graph.find_children(package) if not graph.find_children(child)
    ]
    lines = textwrap.wrap("modules: " + ", ".join(sorted(modules)), LINE_CHARS) if modules else []
    height = HEAD_HEIGHT + (len(rows) * ROW_HEIGHT - ROW_HEIGHT + BOX_HEIGHT if rooms else 0)
    height += FOOT_HEIGHT + LINE_HEIGHT * len(lines)
    bottom = top + height - 9
    return {
        "height": height,
        "rooms": [room for room in rooms.values() if PASSAGE not in room.name],
        "arrows": [_arrow(rooms[a], rooms[b]) for a in sorted(chained) for b in sorted(chained[a])],
        "lines": [(line, bottom - LINE_HEIGHT * n) for n, line in enumerate(reversed(lines))],
    }


def _rooms_read(graph: grimp.ImportGraph, package: str) -> tuple[dict[str, Room], Edges]:
    rooms: dict[str, Room] = {}
    imports: Edges = {}
    for child in sorted(graph.find_children(package)):
        name, inside = child.rpartition(".")[2], graph.find_children(child)
        if not inside or name in LEFT_OUT:
            continue
        modules = {child, *graph.find_descendants(child)}
        imported = {path for module in modules for path in graph.find_modules_directly_imported_by(module)}
        folders = ", ".join(sorted(path.rpartition(".")[2] for path in inside if graph.find_children(path)))
        floors = frozenset(path.partition(".")[0] for path in imported) - {package}
        rooms[name] = Room(name, textwrap.shorten(folders, SUBFOLDER_CHARS + 3, placeholder=" …"), floors)
        imports[name] = {path.split(".")[1] for path in imported if path.startswith(f"{package}.")} - {name}
    return rooms, {name: imports[name] & rooms.keys() for name in rooms}


# ---- layout
def rows_arrange(edges: Edges) -> tuple[Rows, Edges]:
    """Arrange rooms in rows so that every edge points down, and drop edges that others imply.

    An edge that crosses rows runs through passages. Raises ``graphlib.CycleError``.
    """
    depth: dict[str, int] = {}
    below: Edges = {}
    chained: Edges = {}
    for node in TopologicalSorter(edges).static_order():
        depth[node] = 1 + max((depth[lower] for lower in edges[node]), default=-1)
        implied = set[str]().union(*(below[lower] for lower in edges[node]))
        below[node] = edges[node] | implied
        chained[node] = edges[node] - implied
    for upper, lower in [(a, b) for a in sorted(chained) for b in sorted(chained[a])]:
        last = upper
        for row in range(depth[upper] - 1, depth[lower], -1):
            passage = f"{upper}{PASSAGE}{lower}{PASSAGE}{row}"
            depth[passage] = row
            chained[last] = chained[last] - {lower} | {passage}
            chained[passage] = {lower}
            last = passage
    highest = max(depth.values(), default=-1)
    rows = [sorted(n for n in depth if depth[n] == row) for row in range(highest, -1, -1)]
    return _untangled(rows, chained), chained


def _untangled(rows: Rows, edges: Edges) -> Rows:
    """Order the rooms of each row by the mean position of their neighbours, sweeping down and up in turn."""
    for _ in range(SWEEPS):
        for fixed, row in pairwise(rows):
            place = {node: (i + 0.5) / len(fixed) for i, node in enumerate(fixed)}
            mean = {}
            for i, node in enumerate(row):
                places = [place[n] for n in fixed if n in edges[node] or node in edges[n]]
                mean[node] = sum(places) / len(places) if places else (i + 0.5) / len(row)
            row.sort(key=lambda node, mean=mean: (mean[node], node))  # type: ignore[misc]
        rows.reverse()
    return rows


def _row_place(row: list[Room], top: float) -> None:
    free = WIDTH - sum(room.width for room in row)
    space = max(GAP, (free - 4 * MARGIN) / (len(row) + 1))
    left = max(2.0 * MARGIN, (free - space * (len(row) - 1)) / 2)
    for room in row:
        room.x, room.y = left, top
        left += room.width + space


def _arrow(upper: Room, lower: Room) -> dict[str, Any]:
    start, middle = upper.y + BOX_HEIGHT, (upper.y + BOX_HEIGHT + lower.y) / 2
    x, to_x = upper.middle, lower.middle
    path = f"M{x:.0f},{start:.0f} C{x:.0f},{middle:.0f} {to_x:.0f},{middle:.0f} {to_x:.0f},{lower.y:.0f}"
    is_passage = PASSAGE in lower.name
    return {
        "path": path + (f" V{lower.y + BOX_HEIGHT:.0f}" if is_passage else ""),
        "has_head": not is_passage,
    }


if __name__ == "__main__":
    main()
