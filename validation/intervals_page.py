"""Results of a simulation of evaluations, as a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from validation.evaluations import Regime, Tally

# Columns: the share that an interval should cover, or that a test should err.
COVERAGE, ALARMS = 0.95, 0.05
METHODS: Mapping[str, float] = {
    "accuracy, text": COVERAGE,
    "accuracy, page": COVERAGE,
    "pass@2": COVERAGE,
    "gap": COVERAGE,
    "bootstrap": COVERAGE,
    "odds ratio": COVERAGE,
    "gap at both void bounds": COVERAGE,
    "t": ALARMS,
    "equivalence": ALARMS,
    "permutation": ALARMS,
    "McNemar": ALARMS,
    "factor": ALARMS,
}
TRANSFER_METHODS: Mapping[str, float] = {
    "change of text, interval": COVERAGE,
    "change of page, interval": COVERAGE,
    "beyond text, interval": COVERAGE,
    "change of text": ALARMS,
    "change of page": ALARMS,
    "beyond text": ALARMS,
}
TOLERANCE = 0.015
# A method that is silent more often says so.
SILENT = 0.01
# Beyond, too few evaluations are left for a rate.
SILENT_MAX = 0.9
PAGE = """# How often a report's intervals and tests are right

`python -m validation.intervals --write docs/intervals.md` wrote this page: it simulates evaluations with
known truth, with the estimators of the report. {replicates:,} evaluations per regime and table cell, so that
the simulation's own standard error is {error:.2f} points near 95 and 5. Intervals should cover in 95% of
them, tests err in 5%; what is off by more than 1.5 points towards too many errors is **bold**, what is off to
the careful side *italic*. In brackets, the share of evaluations in which the report gives no number and says
why: the rates are of the others.

{table}

Tests: *t*, the clustered test of no gap; *equivalence*, with a gap as large as the margin; *permutation* and
*McNemar*, on looks without effect; *factor*, the mixed model's test of a factor of looks that has no effect
(in a fifth of the evaluations). With three looks, intervals are for these looks alone. Where void depends on
correctness, the judged answers are no fair sample, and nothing that is computed from them alone can be right:
the report prints the bounds that all void episodes wrong and all right give, and says where they leave the
interval.

{regimes}

## Transfer

What training changes ([training.md](training.md)): text and page before and after, on the same items in the
same looks. *Change* is an arm's accuracy after less before, *beyond text* the page's change less the text's.
Tests are of no change, where training adds nothing.

{transfer}

{transfer_regimes}
"""


def row(name: str, tallies: Iterable[Tally], *, methods: Mapping[str, float] = METHODS) -> str:
    """Write a line of a table."""
    by_method = {tally.method: tally for tally in tallies}
    cells = [_cell(by_method.get(method), target) for method, target in methods.items()]
    return f"| {name} | {' | '.join(cells)} |"


def page(
    rows: Sequence[str],
    transfer_rows: Sequence[str],
    *,
    regimes: Sequence[Regime],
    transfer_words: Mapping[str, str],
    replicates: int,
) -> str:
    """Write the page; ``transfer_words`` describe the regimes of transfer by name."""
    return PAGE.format(
        replicates=replicates,
        error=100 * (COVERAGE * ALARMS / replicates) ** 0.5,
        table=_table(rows, METHODS),
        regimes=_list({regime.name: _words(regime) for regime in regimes}),
        transfer=_table(transfer_rows, TRANSFER_METHODS),
        transfer_regimes=_list(transfer_words),
    )


def _table(rows: Sequence[str], methods: Mapping[str, float]) -> str:
    titles = [
        "regime",
        *(method if target == COVERAGE else f"alarm: {method}" for method, target in methods.items()),
    ]
    return "\n".join([f"| {' | '.join(titles)} |", "|---" * len(titles) + "|", *rows])


def _list(words: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}**: {text}" for name, text in words.items())


def _cell(tally: Tally | None, target: float) -> str:
    if tally is None or tally.share is None:
        return "–"
    silent = tally.silent / (tally.silent + tally.spoken)
    if silent > SILENT_MAX:
        return f"– ({silent:.0%})"
    excess = tally.share - target if target == ALARMS else target - tally.share
    text = f"{tally.share:.1%}".rstrip("%")
    if abs(excess) > TOLERANCE:
        text = f"**{text}**" if excess > 0 else f"*{text}*"
    return f"{text} ({silent:.0%})" if silent > SILENT else text


def _words(regime: Regime) -> str:
    """Describe a regime in words."""
    looks = f"{regime.looks} looks" if regime.looks else "no looks"
    effects = (
        f"items {regime.item_sd:g}, items within an arm {regime.arm_item_sd:g}, looks {regime.look_sd:g}"
    )
    text = (
        f"{regime.items} items, {regime.samples} samples each, {looks}; log-odds {regime.base:g} as text, "
        f"{regime.gap:g} less as page; standard deviations of log-odds: {effects}"
    )
    if regime.void_wrong:
        text += f"; {regime.void_wrong:.0%} of wrong and {regime.void_right:.0%} of right pages end void"
    return f"{text}."
