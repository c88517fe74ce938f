"""Plots of the training logs. `python plots.py RESULTS` updates the figures and tables of docs/grpo.md.

This script needs only the standard library. Figures follow the reader's light or dark colour scheme.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, FIGURES = DOCS / "grpo.md", DOCS / "images"
STYLE = """text { font: 12px system-ui, sans-serif; fill: #1f2733 } .small { font-size: 11px }
.axis { stroke: #97a1b0; fill: none } .line { fill: none; stroke-width: 1.8 }
.s0 { stroke: #1d5fc2 } .s1 { stroke: #a34a00 } .s2 { stroke: #1b7a43 } .s3 { stroke: #7a3ea8 }
.control { stroke-dasharray: 4 4 } .second { stroke-dasharray: 1.5 3 }
@media (prefers-color-scheme: dark) { text { fill: #e4e8ee } .axis { stroke: #69748a }
.s0 { stroke: #7fb0ff } .s1 { stroke: #ffb070 } .s2 { stroke: #7fd6a2 } .s3 { stroke: #d3a6ff } }"""
WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 150, 40, 44, 70
COLOURS = 4
ROW = 20
SMOOTHED = 5
Line = dict[str, Any]
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Training:
    name: str
    lines: Sequence[Line]

    def select(self, kind: str) -> list[Line]:
        return [line for line in self.lines if line["kind"] == kind]

    @property
    def settings(self) -> Line:
        return self.select("settings")[0]

    @property
    def figure(self) -> str:
        """Name of the figure in which this training appears."""
        return f"{self.settings['rung']}{'-quoted' * bool(self.settings.get('quote'))}"

    @property
    def has_thoughts(self) -> bool:
        return "thought_tokens" in self.settings

    @property
    def seconds(self) -> str:
        """Median duration of an update."""
        took = sorted(line["update_s"] for line in self.select("update"))
        return f"{took[len(took) // 2]:.1f}" if took else "–"

    @property
    def evaluations(self) -> list[Line]:
        """Evaluations since training began, without the one of the raw model before it."""
        return [line for line in self.select("evaluation") if not line["checkpoint"].endswith("/raw")]


def trainings_read(folder: Path) -> list[Training]:
    """Return the trainings ordered by rung and name, with each rung's controls last."""
    files = sorted(folder.glob("*.jsonl"), key=lambda file: file.stem)
    read = [
        Training(file.stem, [json.loads(line) for line in file.read_text().splitlines()]) for file in files
    ]
    trainings = [training for training in read if training.evaluations]
    return sorted(trainings, key=lambda training: (training.settings["rung"], training.settings["shuffle"]))


def smooth(training: Training, key: str) -> Points:
    updates = [line for line in training.select("update") if key in line]
    return [
        (
            line["version"],
            sum(update[key] for update in updates[max(index - SMOOTHED + 1, 0) : index + 1])
            / min(index + 1, SMOOTHED),
        )
        for index, line in enumerate(updates)
    ]


def list_evaluations(training: Training, key: str) -> Points:
    return [(line["version"], line[key]) for line in training.evaluations]


Panel = tuple[str, Callable[[Training], Points], float | None]
PANELS: Sequence[Panel] = (
    (f"reward, mean of {SMOOTHED} updates", lambda training: smooth(training, "reward"), 1.0),
    ("right on held-out tasks, greedy", lambda training: list_evaluations(training, "gym"), 1.0),
    ("entropy, nats", lambda training: smooth(training, "entropy"), None),
    ("KL from the start, nats", lambda training: list_evaluations(training, "kl"), None),
)
THOUGHT_PANELS: Sequence[Panel] = (
    PANELS[0],
    ("right on held-out tasks, thoughts drawn", lambda training: list_evaluations(training, "sampled"), 1.0),
    (f"tokens per thought, mean of {SMOOTHED}", lambda training: smooth(training, "thought_tokens"), None),
    (f"narration, mean of {SMOOTHED}", lambda training: smooth(training, "narration"), None),
)


def draw_figure(rung: str, trainings: Sequence[Training], panels: Sequence[Panel]) -> str:
    """Return an SVG with four panels and one line per training run. Controls are dashed."""
    classes = choose_styles(trainings)
    columns = COLOURS if len(trainings) <= COLOURS else COLOURS - 1
    more = (len(trainings) - 1) // columns * ROW
    width, height = 2 * (WIDTH + GAP), TOP + more + 2 * (HEIGHT + GAP) - 20
    parts = [draw_panel(number, panels[number], trainings, classes, more) for number in range(len(panels))]
    for number, training in enumerate(trainings):
        x, y = LEFT + number % columns * (width - LEFT) // columns, 16 + number // columns * ROW
        parts.append(f'<path class="{classes[number]}" d="M{x},{y} h24"/>')
        parts.append(f'<text x="{x + 30}" y="{y + 4}">{make_label(training)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"\n'
        f'  width="{width}" height="{height}"\n'
        f'  role="img" aria-label="{rung} by update: {"; ".join(title for title, *_ in panels)}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def draw_panel(
    number: int, panel: Panel, trainings: Sequence[Training], classes: Sequence[str], down: int
) -> str:
    title, find_points, fixed = panel
    series = [find_points(training) for training in trainings]
    every = [point for points in series for point in points]
    right = max(max(x for x, _ in every), 1)
    top = fixed or max(max(y for _, y in every), 0.01)
    x0, y0 = LEFT + number % 2 * (WIDTH + GAP), TOP + down + number // 2 * (HEIGHT + GAP)
    parts = [
        f'<text x="{x0}" y="{y0 - 8}">{title}</text>',
        f'<path class="axis" d="M{x0},{y0} v{HEIGHT} h{WIDTH}"/>',
    ]
    for share in (0, 0.5, 1):
        y = y0 + HEIGHT * (1 - share) + 4
        parts.append(
            f'<text class="small" x="{x0 - 6}" y="{y:.0f}" text-anchor="end">{share * top:.2g}</text>'
        )
        x = x0 + WIDTH * share
        parts.append(
            f'<text class="small" x="{x:.0f}" y="{y0 + HEIGHT + 16}" text-anchor="middle">'
            f"{share * right:.0f}</text>"
        )
    for index, points in enumerate(series):
        path = " ".join(f"{x0 + WIDTH * x / right:.1f},{y0 + HEIGHT * (1 - y / top):.1f}" for x, y in points)
        parts.append(f'<polyline class="{classes[index]}" points="{path}"/>')
    return "\n".join(parts)


def choose_styles(trainings: Sequence[Training]) -> list[str]:
    """Return a style per training: its own colour or, if there are too few, one per variant.

    In the latter case, the second seed is dotted.
    """
    seeds = sorted({training.settings["seed"] for training in trainings})
    if len(trainings) <= COLOURS:
        return [
            f"line s{number}{' control' * training.settings['shuffle']}"
            for number, training in enumerate(trainings)
        ]
    known = list(dict.fromkeys(map(name_variant, trainings)))
    return [
        f"line s{known.index(name_variant(training))}{' second' * (training.settings['seed'] != seeds[0])}"
        for training in trainings
    ]


def make_label(training: Training) -> str:
    return ", ".join(filter(None, [f"seed {training.settings['seed']}", name_variant(training)]))


def name_variant(training: Training) -> str:
    """Return the sampler, variant, profile and control that distinguish a run from others with its seed."""
    settings = training.settings
    sampler = settings.get("sampler", "none").replace("_", " ")
    parts = [*[sampler] * (sampler != "none"), settings.get("variant", "")]
    parts += [f"paid by {profile}" for profile in [settings.get("profile")] if profile]
    return ", ".join(filter(None, parts + ["rewards shuffled"] * settings["shuffle"]))


SHARES = (
    ("greedy: raw", "raw", "gym"),
    ("at the start", "first", "gym"),
    ("at the end", "last", "gym"),
    ("sampled: start", "first", "sampled"),
    ("end", "last", "sampled"),
    ("text: start", "first", "text_zero_shot"),
    ("end", "last", "text_zero_shot"),
)
THOUGHT_FIGURES = (
    ("greedy without: start", "first", "without_thought"),
    ("end", "last", "without_thought"),
    ("greedy with: start", "first", "gym"),
    ("end", "last", "gym"),
    ("drawn: start", "first", "sampled"),
    ("end", "last", "sampled"),
    ("tokens: start", "first", "thought_tokens"),
    ("end", "last", "thought_tokens"),
    ("narration: start", "first", "narration"),
    ("end", "last", "narration"),
)


def format_table(trainings: Sequence[Training], columns: Sequence[tuple[str, str, str]]) -> str:
    """Format a Markdown table with one row per run: evaluations before and after, and the time per update."""
    heads = ("run", "updates", *(title for title, *_ in columns), "s per update")
    rows = [heads, ["---"] * len(heads)]
    for training in trainings:
        raw = [line for line in training.select("evaluation") if line["checkpoint"].endswith("/raw")]
        lines = {
            "raw": raw[0] if raw else {},
            "first": training.evaluations[0],
            "last": training.evaluations[-1],
        }
        shares = [lines[when].get(key) for _, when, key in columns]
        cells = ["–" if share is None else f"{share:.2f}" for share in shares]
        rows.append([training.name, str(lines["last"]["version"]), *cells, training.seconds])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(folder: Path) -> None:
    page = PAGE.read_text()
    for has_thoughts, marker, name, panels, columns in (
        (False, "results", "grpo-{}.svg", PANELS, SHARES),
        (True, "thoughts", "grpo-{}-thoughts.svg", THOUGHT_PANELS, THOUGHT_FIGURES),
    ):
        trainings = [training for training in trainings_read(folder) if training.has_thoughts == has_thoughts]
        for rung in sorted({training.figure for training in trainings}):
            own = [training for training in trainings if training.figure == rung]
            (FIGURES / name.format(rung)).write_text(draw_figure(rung, own, panels))
        if trainings:
            section = re.compile(rf"(?<=<!-- {marker} -->\n).*?(?=<!-- end -->)", re.DOTALL)
            rows = format_table(trainings, columns)
            page = section.sub(lambda _, rows=rows: rows, page)
    PAGE.write_text(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
