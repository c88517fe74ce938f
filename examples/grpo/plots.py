"""Draw what the trainings wrote: `python plots.py RESULTS` renews the figures and tables of docs/grpo.md.

Takes the standard library alone. Figures follow the reader's light or dark scheme.
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

    def of(self, kind: str) -> list[Line]:
        return [line for line in self.lines if line["kind"] == kind]

    @property
    def settings(self) -> Line:
        return self.of("settings")[0]

    @property
    def shown(self) -> str:
        """The figure that it is in."""
        return f"{self.settings['rung']}{'-quoted' * bool(self.settings.get('quote'))}"

    @property
    def has_thoughts(self) -> bool:
        return "thought_tokens" in self.settings

    @property
    def seconds(self) -> str:
        """Of an update, the median."""
        took = sorted(line["update_s"] for line in self.of("update"))
        return f"{took[len(took) // 2]:.1f}" if took else "–"

    @property
    def evaluations(self) -> list[Line]:
        """Since training began; the one of the raw model comes before them."""
        return [line for line in self.of("evaluation") if not line["checkpoint"].endswith("/raw")]


def trainings_read(folder: Path) -> list[Training]:
    """By rung and name, the control after what it is the control of."""
    files = sorted(folder.glob("*.jsonl"), key=lambda file: file.stem)
    read = [
        Training(file.stem, [json.loads(line) for line in file.read_text().splitlines()]) for file in files
    ]
    trainings = [training for training in read if training.evaluations]
    return sorted(trainings, key=lambda one: (one.settings["rung"], one.settings["shuffle"]))


def smoothed(training: Training, key: str) -> Points:
    updates = [line for line in training.of("update") if key in line]
    return [
        (
            line["version"],
            sum(one[key] for one in updates[max(place - SMOOTHED + 1, 0) : place + 1])
            / min(place + 1, SMOOTHED),
        )
        for place, line in enumerate(updates)
    ]


def evaluated(training: Training, key: str) -> Points:
    return [(line["version"], line[key]) for line in training.evaluations]


Panel = tuple[str, Callable[[Training], Points], float | None]
PANELS: Sequence[Panel] = (
    (f"reward, mean of {SMOOTHED} updates", lambda training: smoothed(training, "reward"), 1.0),
    ("right on held-out tasks, greedy", lambda training: evaluated(training, "gym"), 1.0),
    ("entropy, nats", lambda training: smoothed(training, "entropy"), None),
    ("KL from the start, nats", lambda training: evaluated(training, "kl"), None),
)
THOUGHT_PANELS: Sequence[Panel] = (
    PANELS[0],
    ("right on held-out tasks, thoughts drawn", lambda training: evaluated(training, "sampled"), 1.0),
    (f"tokens per thought, mean of {SMOOTHED}", lambda training: smoothed(training, "thought_tokens"), None),
    (f"narration, mean of {SMOOTHED}", lambda training: smoothed(training, "narration"), None),
)


def figure(rung: str, trainings: Sequence[Training], panels: Sequence[Panel]) -> str:
    """Four panels, a line for each training run; the control's is dashed."""
    classes = styles(trainings)
    columns = COLOURS if len(trainings) <= COLOURS else COLOURS - 1
    more = (len(trainings) - 1) // columns * ROW
    width, height = 2 * (WIDTH + GAP), TOP + more + 2 * (HEIGHT + GAP) - 20
    parts = [panel_draw(place, panels[place], trainings, classes, more) for place in range(len(panels))]
    for place, training in enumerate(trainings):
        x, y = LEFT + place % columns * (width - LEFT) // columns, 16 + place // columns * ROW
        parts.append(f'<path class="{classes[place]}" d="M{x},{y} h24"/>')
        parts.append(f'<text x="{x + 30}" y="{y + 4}">{label(training)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"\n'
        f'  width="{width}" height="{height}"\n'
        f'  role="img" aria-label="{rung} by update: {"; ".join(title for title, *_ in panels)}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def panel_draw(
    place: int, panel: Panel, trainings: Sequence[Training], classes: Sequence[str], down: int
) -> str:
    title, points_of, fixed = panel
    series = [points_of(training) for training in trainings]
    every = [point for points in series for point in points]
    right = max(max(x for x, _ in every), 1)
    top = fixed or max(max(y for _, y in every), 0.01)
    x0, y0 = LEFT + place % 2 * (WIDTH + GAP), TOP + down + place // 2 * (HEIGHT + GAP)
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
    for number, points in enumerate(series):
        path = " ".join(f"{x0 + WIDTH * x / right:.1f},{y0 + HEIGHT * (1 - y / top):.1f}" for x, y in points)
        parts.append(f'<polyline class="{classes[number]}" points="{path}"/>')
    return "\n".join(parts)


def styles(trainings: Sequence[Training]) -> list[str]:
    """A colour for each; where these are too few, for each way of training, dotted for its second seed."""
    seeds = sorted({one.settings["seed"] for one in trainings})
    if len(trainings) <= COLOURS:
        return [f"line s{place}{' control' * one.settings['shuffle']}" for place, one in enumerate(trainings)]
    known = list(dict.fromkeys(way(one) for one in trainings))
    return [
        f"line s{known.index(way(one))}{' second' * (one.settings['seed'] != seeds[0])}" for one in trainings
    ]


def label(training: Training) -> str:
    return ", ".join(filter(None, [f"seed {training.settings['seed']}", way(training)]))


def way(training: Training) -> str:
    """Name the sampler, variant, profile and control by which a run differs from the others of its seed."""
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


def table(trainings: Sequence[Training], columns: Sequence[tuple[str, str, str]]) -> str:
    """One row a run: evaluations before and after, what it took."""
    heads = ("run", "updates", *(title for title, *_ in columns), "s per update")
    rows = [heads, ["---"] * len(heads)]
    for training in trainings:
        raw = [line for line in training.of("evaluation") if line["checkpoint"].endswith("/raw")]
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
        trainings = [one for one in trainings_read(folder) if one.has_thoughts == has_thoughts]
        for shown in sorted({training.shown for training in trainings}):
            own = [training for training in trainings if training.shown == shown]
            (FIGURES / name.format(shown)).write_text(figure(shown, own, panels))
        if trainings:
            place = re.compile(rf"(?<=<!-- {marker} -->\n).*?(?=<!-- end -->)", re.DOTALL)
            rows = table(trainings, columns)
            page = place.sub(lambda _, rows=rows: rows, page)
    PAGE.write_text(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
