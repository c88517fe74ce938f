"""The results of a run: accuracy with its interval, actions, tokens, and costs by the user's price table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaestra.api import Client
from palaestra.api.calls import rows_read
from palaestra.errors import PalaestraError
from palaestra.records import EpisodeState, UsageTotals

Z = 1.96  # normal quantile for a 95% interval
PER = 1_000_000


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """The results of a run.

    ``states`` are those of the run's plain episodes; ``usage`` is the sum over the episodes that were judged.
    """

    states: Sequence[EpisodeState]
    usage: UsageTotals
    model: str
    prices: PriceTable | None = None

    @property
    def answers(self) -> dict[int, list[bool]]:
        """The judged episodes by task: True for each correct answer."""
        answers = defaultdict[int, list[bool]](list)
        for state in self.states:
            if state.verdict is not None and not state.verdict.is_void:
                answers[state.task].append(state.verdict.outcome == "correct")
        return answers

    @property
    def distances(self) -> list[float]:
        """The distance of each copy from its question; only the reading probe has copies."""
        metrics = [state.verdict.metrics or {} for state in self.states if state.verdict is not None]
        return [values["distance"] for values in metrics if "distance" in values]

    def format_table(self) -> str:
        """Return the report as text, one line per value."""
        return "\n".join(f"{name:<10}{value}" for name, value in self._build_rows().items() if value)

    def _build_rows(self) -> dict[str, str]:
        judged = sum(map(len, self.answers.values()))
        return {
            "episodes": _format_counts(
                {
                    "judged": judged,
                    "void": sum(state.is_void for state in self.states),
                    "open": sum(state.verdict is None for state in self.states),
                }
            ),
            **(
                {"copies": self._format_copies()}
                if self.distances
                else {"accuracy": self._format_accuracy(judged)}
            ),
            "reasons": _format_counts(Counter(s.verdict.reason for s in self.states if s.verdict)),
            "actions": self._format_actions(),
            "tokens": self._format_tokens(judged),
            "cost": self._format_cost(),
        }

    def _format_accuracy(self, judged: int) -> str:
        if not judged:
            return "nothing was judged"
        correct = sum(sum(answers) for answers in self.answers.values())
        low, high = compute_interval(list(self.answers.values()))
        return f"{correct / judged:.1%} ({correct:g} of {judged}), 95% interval {low:.1%} to {high:.1%}"

    def _format_copies(self) -> str:
        distances = self.distances
        exact = sum(distance == 0 for distance in distances)
        mean = sum(distances) / len(distances)
        return f"{len(distances):,}, at a distance of {mean:.3f} on average; {exact:,} of them exact"

    def _format_actions(self) -> str:
        usage = self.usage
        if not usage.steps:
            return ""
        parsed, done = usage.parsed / usage.steps, usage.done / usage.steps
        return f"{usage.steps:,}, of which {parsed:.0%} could be read and {done:.0%} were carried out"

    def _format_tokens(self, judged: int) -> str:
        usage = self.usage
        if not usage.prompt or not judged:
            return ""
        correct = sum(sum(answers) for answers in self.answers.values())
        tokens = usage.prompt + usage.completion
        solved = f"; {tokens / correct:,.0f} per solved task" if correct else ""
        missing = f"; {usage.unmetered:,} steps report none" if usage.unmetered else ""
        return (
            f"{usage.prompt / judged:,.0f} read ({usage.cached / usage.prompt:.0%} of it cached) and "
            f"{usage.completion / judged:,.0f} written ({usage.reasoning / judged:,.0f} as thoughts) per "
            f"episode; longest prompt {usage.longest_prompt:,}{solved}{missing}"
        )

    def _format_cost(self) -> str:
        price = self.prices.models.get(self.model) if self.prices else None
        if price is None or self.prices is None:
            return f"no price of {self.model} is given" if self.prices else ""
        return f"{price.compute_cost(self.usage):,.4f} {self.prices.currency}"


async def report_read(
    client: Client, run: int, states: Sequence[EpisodeState], *, model: str, prices: PriceTable | None
) -> RunReport:
    """Return the report on a run, given the ``states`` of its plain episodes."""
    usage = usage_sum([stats.usage async for stats in rows_read(client.tasks_stats, run=run) if stats.usage])
    return RunReport(states=states, usage=usage, model=model, prices=prices)


def usage_sum(parts: Sequence[UsageTotals]) -> UsageTotals:
    """Add up the totals of all parts; the longest prompt is the maximum."""
    names = UsageTotals.__struct_fields__
    totals = {name: sum(getattr(part, name) for part in parts) for name in names}
    totals["longest_prompt"] = max((part.longest_prompt for part in parts), default=0)
    return UsageTotals(**totals)


def compute_interval(answers: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """Return the 95% Wilson interval of the share of correct answers, which are given by task.

    Samples of one task are correlated, so the interval uses the effective sample size: the number of
    independent episodes that would give the same variance as these, which are clustered by task. With one
    sample per task, that is the number of tasks.
    """
    count = sum(map(len, answers))
    mean = sum(map(sum, answers)) / count
    size = float(count)
    if count > len(answers) > 1 and 0 < mean < 1:
        residuals = [sum(task) - mean * len(task) for task in answers]
        tasks = len(answers)
        variance = sum(r * r for r in residuals) / count**2 * tasks / (tasks - 1)
        size = min(size, mean * (1 - mean) / variance) if variance else size
    centre = (mean + Z * Z / (2 * size)) / (1 + Z * Z / size)
    half = Z / (1 + Z * Z / size) * math.sqrt(mean * (1 - mean) / size + Z * Z / (4 * size * size))
    return max(0.0, centre - half), min(1.0, centre + half)


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices per million tokens. ``cached`` applies to prompt tokens from the endpoint's cache.

    It defaults to ``prompt``.
    """

    prompt: float
    completion: float
    cached: float | None = None

    def compute_cost(self, usage: UsageTotals) -> float:
        """Return the cost of ``usage`` in the price table's currency."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = max(0, usage.prompt - usage.cached)
        return (fresh * self.prompt + usage.cached * cached + usage.completion * self.completion) / PER


class PriceTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON file such as ``{"currency": "USD", "models": {"m": {"prompt": 0.15, "completion": 0.6}}}``."""

    models: dict[str, Price]
    currency: str = "USD"


def prices_read(path: Path) -> PriceTable:
    """Read a price table from a file. Raises ``PalaestraError`` if the table is invalid."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PriceTable)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise PalaestraError(f"{path}: {failure}. Expected: {PriceTable.__doc__}") from failure
