"""Draw what `train.py` wrote: `python plots.py RESULTS` renews the figures and the table of docs/grpo.md.

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
PAGE, FIGURE = DOCS / "grpo.md", DOCS / "images" / "grpo-{rung}.svg"
TABLE = re.compile(r"(?<=<!-- results -->\n).*?(?=<!-- end -->)", re.DOTALL)
STYLE = """text { font: 12px system-ui, sans-serif; fill: #1f2733 } .small { font-size: 11px }
.axis { stroke: #97a1b0; fill: none } .line { fill: none; stroke-width: 1.8 }
.s0 { stroke: #1d5fc2 } .s1 { stroke: #a34a00 } .s2 { stroke: #1b7a43 } .s3 { stroke: #7a3ea8 }
.control { stroke-dasharray: 4 4 }
@media (prefers-color-scheme: dark) { text { fill: #e4e8ee } .axis { stroke: #69748a }
.s0 { stroke: #7fb0ff } .s1 { stroke: #ffb070 } .s2 { stroke: #7fd6a2 } .s3 { stroke: #d3a6ff } }"""
WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 150, 40, 44, 70
COLOURS = 4
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
    def evaluations(self) -> list[Line]:
        """Since training began; the one of the raw model comes before them."""
        return [line for line in self.of("evaluation") if not line["checkpoint"].endswith("/raw")]


def trainings_read(folder: Path) -> list[Training]:
    files = sorted(folder.glob("*.jsonl"))
    read = [
        Training(file.stem, [json.loads(line) for line in file.read_text().splitlines()]) for file in files
    ]
    return [training for training in read if training.evaluations]


def smoothed(training: Training, key: str) -> Points:
    updates = training.of("update")
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


PANELS: Sequence[tuple[str, Callable[[Training], Points], float | None]] = (
    (f"reward, mean of {SMOOTHED} updates", lambda training: smoothed(training, "reward"), 1.0),
    ("right on held-out tasks, greedy", lambda training: evaluated(training, "gym"), 1.0),
    ("entropy, nats", lambda training: smoothed(training, "entropy"), None),
    ("KL from the start, nats", lambda training: evaluated(training, "kl"), None),
)


def figure(rung: str, trainings: Sequence[Training]) -> str:
    """Four panels, a line for each training run; the control's is dashed."""
    parts = [panel(place, trainings) for place in range(len(PANELS))]
    for place, training in enumerate(trainings):
        at = LEFT + place * 170
        parts.append(f'<path class="{style(place, training)}" d="M{at},16 h24"/>')
        parts.append(f'<text x="{at + 30}" y="20">{label(training)}</text>')
    width, height = 2 * (WIDTH + GAP), TOP + 2 * (HEIGHT + GAP) - 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"\n'
        f'  width="{width}" height="{height}"\n'
        f'  role="img" aria-label="Reward, held-out success, entropy and KL by update: {rung}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def panel(place: int, trainings: Sequence[Training]) -> str:
    title, points_of, fixed = PANELS[place]
    series = [points_of(training) for training in trainings]
    every = [point for points in series for point in points]
    right = max(max(x for x, _ in every), 1)
    top = fixed or max(max(y for _, y in every), 0.01)
    x0, y0 = LEFT + place % 2 * (WIDTH + GAP), TOP + place // 2 * (HEIGHT + GAP)
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
        parts.append(f'<polyline class="{style(number, trainings[number])}" points="{path}"/>')
    return "\n".join(parts)


def style(place: int, training: Training) -> str:
    return f"line s{place % COLOURS}{' control' * training.settings['shuffle']}"


def label(training: Training) -> str:
    settings = training.settings
    sampler = settings.get("sampler", "none").replace("_", " ")
    parts = [f"seed {settings['seed']}", *[sampler] * (sampler != "none")]
    return ", ".join(parts + ["rewards shuffled"] * settings["shuffle"])


def table(trainings: Sequence[Training]) -> str:
    """One row a run: success before and after, what it took."""
    heads = (
        "run",
        "updates",
        "greedy: raw",
        "at the start",
        "at the end",
        "sampled: start",
        "end",
        "text: start",
        "end",
        "s per update",
    )
    rows = [heads, ["---"] * len(heads)]
    for training in trainings:
        raw = [line for line in training.of("evaluation") if line["checkpoint"].endswith("/raw")]
        first, last = training.evaluations[0], training.evaluations[-1]
        took = sorted(line["update_s"] for line in training.of("update"))
        middle = f"{took[len(took) // 2]:.1f}" if took else "–"
        shares = [
            raw[0]["gym"] if raw else None,
            *(
                line[key]
                for key in ("gym", "sampled", "text_zero_shot")
                for line in (first, last)
                if key in line
            ),
        ]
        cells = ["–" if share is None else f"{share:.2f}" for share in shares]
        cells += ["–"] * (7 - len(cells))
        rows.append([training.name, str(last["version"]), *cells, middle])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(folder: Path) -> None:
    trainings = trainings_read(folder)
    for rung in sorted({training.settings["rung"] for training in trainings}):
        own = [training for training in trainings if training.settings["rung"] == rung]
        Path(str(FIGURE).format(rung=rung)).write_text(figure(rung, own))
    PAGE.write_text(TABLE.sub(lambda _: table(trainings), PAGE.read_text()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
