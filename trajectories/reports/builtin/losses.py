"""The tables of losses: episodes wrong as a page on items right as text, classified by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.charts.forest import Forest
from trajectories.reports.estimators.accuracy import ALL_RIGHT, ALL_WRONG, accuracy
from trajectories.reports.estimators.answers import NO_LOOK, Answers, Codes, Estimate, item_means
from trajectories.reports.ladder import ArmKey, probe_of
from trajectories.reports.losses.rules import RULES, TITLES, Loss, loss_of
from trajectories.reports.losses.source import lost_episodes
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import (
    COUNT,
    EPISODES_LINKED,
    PERCENT,
    Column,
    Row,
    episodes_link,
    interval_columns,
    with_ends,
)

# The most episodes per benchmark and contrast that are drawn and classified, which is what a link can list.
SAMPLE = EPISODES_LINKED
# The most episodes of each class that are listed with their evidence.
LISTED = 5
RIGHT_MIN = 0.5
LOSSES = (
    Column("benchmark", "Benchmark"),
    Column("contrast", "Arms"),
    Column("class", "Class"),
    Column("episodes", "Episodes", COUNT),
    *interval_columns("share", "Share", PERCENT),
    Column("note", "Note"),
)
LIST = (
    Column("benchmark", "Benchmark"),
    Column("contrast", "Arms"),
    Column("class", "Class"),
    Column("episode", "Episode"),
    Column("evidence", "Evidence"),
)


@dataclass(frozen=True, kw_only=True)
class Lost:
    """The wrong episodes in arm ``b`` on items that are right in arm ``a``.

    ``total`` is their number, and ``drawn`` those that were drawn, with their classes in ``losses`` by
    episode. ``right`` has a right episode in ``a`` for each item.
    """

    analysis: Analysis
    a: ArmKey
    b: ArmKey
    total: int
    drawn: Episodes
    losses: Mapping[int, Loss]
    right: Mapping[int, int]

    @property
    def head(self) -> dict[str, Any]:
        return {**self.analysis.pair_cells(self.a, self.b), "a": self.a.id, "b": self.b.id}

    def of_class(self, kind: str) -> list[int]:
        return [int(episode) for episode in self.drawn.episode if self.losses[int(episode)].id == kind]


def lost_read(analysis: Analysis) -> Iterator[Lost]:
    """Yield the losses of each comparable contrast of text with a page.

    Mock sites have none, because their pages do not show a question.
    """
    if analysis.data.is_site:
        return
    for a, b in analysis.page_contrasts:
        if not analysis.mixture(a) and not analysis.mixture(b):
            yield _lost_between(analysis, a, b)


def loss_classes(analyses: Sequence[Analysis]) -> dict[str, list[int]]:
    """Return the ids of the classified episodes, by class."""
    classes: dict[str, set[int]] = {kind: set() for kind in TITLES}
    for lost in (lost for analysis in analyses for lost in analysis.once(lost_read)):
        for kind in TITLES:
            classes[kind].update(lost.of_class(kind))
    return {kind: sorted(episodes) for kind, episodes in classes.items() if episodes}


@report_table(
    "losses",
    "Where episodes were lost (heuristic)",
    94,
    columns=LOSSES,
    notes=[
        (
            "Heuristic. Episodes that are wrong as a page, on items that are right as text in at least half "
            "of their samples. Each gets the class of the first rule that holds. Such episodes exist even "
            "without any gap: see the discordance of text with itself."
        ),
        *(f"{rule.title}: {rule.words}." for rule in RULES),
        "How often the rules are right: docs/losses.md.",
    ],
    chart=Chart(
        draw=Forest(
            value="share", group="{benchmark}, {contrast}", label=("class",), unit="percent", is_share=True
        ).draw,
        caption="Shares of the episodes that were lost. Heuristic.",
    ),
)
def loss_rows(analysis: Analysis) -> list[Row]:
    return [row for lost in analysis.once(lost_read) for row in _loss_rows(lost)]


@report_table("loss_episodes", "Lost episodes (heuristic)", 95, columns=LIST, is_reference=True)
def listed_rows(analysis: Analysis) -> list[Row]:
    return [row for lost in analysis.once(lost_read) for row in _listed_rows(lost)]


def _lost_between(analysis: Analysis, a: ArmKey, b: ArmKey) -> Lost:
    text, page = (analysis.data.episodes(key, analysis.items) for key in (a, b))
    answers = text.answers
    means = item_means(answers, answers.items)
    wrong = page.where((page.outcome == 0) & np.isin(page.item, answers.items[means >= RIGHT_MIN]))
    rng = np.random.default_rng(analysis.plan["seed"])
    places = np.sort(rng.permutation(len(wrong.item))[:SAMPLE])
    drawn = wrong.where(np.isin(np.arange(len(wrong.item)), places))
    episodes = drawn.episode.tolist()
    lost = lost_episodes(episodes, readings=_readings(analysis, b, drawn))
    right = text.where(text.outcome == 1)
    return Lost(
        analysis=analysis,
        a=a,
        b=b,
        total=len(wrong.item),
        drawn=drawn,
        losses={episode: loss_of(evidence) for episode, evidence in lost},
        # Any right episode of an item will do, so the last one is kept.
        right=dict(zip(right.item.tolist(), right.episode.tolist(), strict=True)),
    )


def _readings(analysis: Analysis, key: ArmKey, drawn: Episodes) -> dict[int, float]:
    """Return, by episode, the mean score of the reading probes of its item in its look."""
    probes = analysis.data.episodes(probe_of(key), analysis.items)
    cells: dict[tuple[int, int], list[float]] = {}
    for item, look, score in zip(
        probes.item.tolist(), probes.look.tolist(), probes.score.tolist(), strict=True
    ):
        if not np.isnan(score):
            cells.setdefault((item, look), []).append(score)
    placed = zip(drawn.episode.tolist(), drawn.item.tolist(), drawn.look.tolist(), strict=True)
    return {
        episode: sum(cells[item, look]) / len(cells[item, look])
        for episode, item, look in placed
        if (item, look) in cells
    }


def _loss_rows(lost: Lost) -> Iterator[Row]:
    if not lost.total:
        yield {
            **lost.head,
            "class": "none",
            "episodes": 0,
            "note": "no episode on a page is wrong on an item that is right as text",
        }
        return
    sampled = f"of {len(lost.drawn.item):,} drawn of {lost.total:,}" if lost.total > SAMPLE else ""
    for kind, title in TITLES.items():
        episodes = lost.of_class(kind)
        estimate = accuracy(_answers(lost.drawn, episodes), alpha=lost.analysis.alpha)
        row = {
            **lost.head,
            "class": title,
            "class_id": kind,
            "episodes": len(episodes),
            **with_ends("share", estimate),
            "note": "; ".join(filter(None, (sampled, _why(estimate)))),
        }
        yield {**row, "links": {"episodes": episodes_link(episodes)}} if episodes else row


def _why(estimate: Estimate) -> str:
    """Return the reason why a share has no interval."""
    if estimate.reason in (ALL_RIGHT, ALL_WRONG):
        return "all of the episodes" if estimate.reason == ALL_RIGHT else "none of the episodes"
    return estimate.reason


def _answers(drawn: Episodes, episodes: Sequence[int]) -> Answers:
    """Return answers that count as right if the episode is of the class.

    The share of a class can then be estimated like an accuracy, as a mean over items.
    """
    nowhere: Codes = np.full(len(drawn.item), NO_LOOK)
    return Answers(item=drawn.item, look=nowhere, correct=np.isin(drawn.episode, episodes).astype(np.float64))


def _listed_rows(lost: Lost) -> Iterator[Row]:
    items = dict(zip(lost.drawn.episode.tolist(), lost.drawn.item.tolist(), strict=True))
    for kind, title in TITLES.items():
        for episode in lost.of_class(kind)[:LISTED]:
            other = lost.right[items[episode]]
            yield {
                **lost.head,
                "class": title,
                "class_id": kind,
                "episode": str(episode),
                "evidence": lost.losses[episode].evidence,
                "links": {
                    "episode": f"/episodes/{episode}/",
                    "evidence": f"/compare?episodes={other},{episode}",
                },
            }
