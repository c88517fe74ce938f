"""Documentation page with the results of the simulated evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from validation.evaluations import Regime, Tally

# Nominal rates of the columns: intervals should cover the truth this often, and tests should err this often.
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
# A cell gives the share of evaluations without a result if it exceeds this.
SILENT = 0.01
# Beyond this share, too few evaluations have a result to compute a rate.
SILENT_MAX = 0.9
PAGE = """# How often a report's intervals and tests are right

`python -m validation.intervals --write docs/intervals.md` wrote this page. It simulates evaluations with
known truth and applies the report's estimators to them. There are {replicates:,} evaluations per regime and
table cell, so the simulation's own standard error is {error:.2f} points near 95 and 5. Intervals should cover
the truth in 95% of the evaluations, and tests should err in 5%. Rates that are off by more than 1.5 points
are **bold** if there are too many errors and *italic* if the method is too cautious. A share in brackets is
the share of evaluations in which the report gives no number and explains why; the rate is then that of the
other evaluations.

{table}

The tests are *t*, the clustered test of no gap; *equivalence*, with a gap as large as the margin;
*permutation* and *McNemar*, on looks without effect; and *factor*, the mixed model's test of a factor of
looks that has no effect (in a fifth of the evaluations). With three looks, intervals apply to these looks
only. If being void depends on correctness, the judged answers are not a fair sample, and nothing computed
from them alone can be right. The report therefore prints the bounds that result if all void episodes are
wrong or all are right, and points out where these bounds are outside the interval.

{regimes}

## Transfer

This table is about estimates of what training changes ([training.md](training.md)). Text and page are
evaluated before and after training, on the same items in the same looks. *Change* is an arm's accuracy after
training minus its accuracy before; *beyond text* is the page's change minus the text's change. The tests are
of no change, on simulations in which training adds nothing.

{transfer}

{transfer_regimes}
"""


def row(name: str, tallies: Iterable[Tally], *, methods: Mapping[str, float] = METHODS) -> str:
    """Format a regime's tallies as a row of a table."""
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
    """Format the page; ``transfer_words`` maps the names of transfer regimes to descriptions."""
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
        f"{regime.items} items; samples per item: {regime.samples}; {looks}; log-odds {regime.base:g} "
        f"as text, {regime.gap:g} lower as page; standard deviations of log-odds: {effects}"
    )
    if regime.void_wrong:
        text += f"; {regime.void_wrong:.0%} of wrong and {regime.void_right:.0%} of right pages are void"
    return f"{text}."
