"""A soak's samples as a table, a judgement and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tests.soak.samples import ProcessSample, Record

GROWTH_MAX = 0.05
# Connections, and thus their memory, are renewed every ten minutes, so levels are taken over half of the
# time.
WARM_UP_SHARE = 1 / 3
SLACK_MB = 2.0  # 5% of a small process is less than one arena of its memory allocator
WIDTH, HEIGHT, LEFT, TOP, ROW = 720, 22, 150, 30, 30


@dataclass(frozen=True)
class Level:
    """One process in the first and in the second half of the time after the warm-up."""

    name: str
    first: ProcessSample
    last: ProcessSample

    @property
    def growth(self) -> float:
        return self.last.own / self.first.own - 1 if self.first.own else 0.0

    @property
    def is_steady(self) -> bool:
        grown_mb = self.last.own - self.first.own
        return self.growth <= GROWTH_MAX or grown_mb <= SLACK_MB


def levels(record: Record) -> list[Level]:
    end_s = record.samples[-1].at_s
    start_s = end_s * WARM_UP_SHARE
    middle_s = (start_s + end_s) / 2
    return [
        Level(
            name,
            record.level(name, start_s=start_s, end_s=middle_s),
            record.level(name, start_s=middle_s, end_s=end_s),
        )
        for name in record.samples[0].processes
    ]


def table(rows: Sequence[Level]) -> str:
    head = (
        "| process | processes | own memory, MB | in the second half | growth | PSS, MB | open files |\n"
        "|---|---|---|---|---|---|---|"
    )
    return "\n".join([head, *map(_row, rows)])


def _row(row: Level) -> str:
    mark = "" if row.is_steady else " **grows**"
    return (
        f"| {row.name} | {row.last.processes} | {row.first.own:.1f} | {row.last.own:.1f} |"
        f" {row.growth:+.1%}{mark} | {row.first.pss:.0f} → {row.last.pss:.0f} |"
        f" {row.first.files} → {row.last.files} |"
    )


def growths(rows: Sequence[Level]) -> Iterator[str]:
    """Complaints about processes whose memory or number of open files grows."""
    for row in rows:
        if not row.is_steady:
            yield f"{row.name} grows by {row.growth:.1%}: from {row.first.own:.1f} to {row.last.own:.1f} MB"
        if row.last.files > row.first.files * 1.5 + 10:
            yield f"{row.name} has {row.last.files} open files, {row.first.files} in the first half"


def plot(record: Record) -> str:
    """Return an SVG with a line of memory over time for each process, each from zero to its own maximum."""
    names = list(record.samples[0].processes)
    end = record.samples[-1].at_s or 1.0
    lines = []
    for place, name in enumerate(names):
        values = [sample.processes[name].own for sample in record.samples]
        most, base = max(values) or 1.0, TOP + place * ROW + HEIGHT
        points = " ".join(
            f"{LEFT + sample.at_s / end * (WIDTH - LEFT - 90):.1f},{base - value / most * HEIGHT:.1f}"
            for sample, value in zip(record.samples, values, strict=True)
        )
        lines.append(
            f'<text x="4" y="{base - 6}">{escape(name)}</text>'
            f'<polyline points="{points}" fill="none" stroke="#2a6f97" stroke-width="1.5"/>'
            f'<text x="{WIDTH - 84}" y="{base - 6}">max {most:.0f} MB</text>'
        )
    height = TOP + len(names) * ROW + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
        f' font-size="11"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="4" y="16" font-size="13">Memory by process over {end / 60:.0f} minutes</text>'
        f"{''.join(lines)}</svg>\n"
    )
