"""`python -m tests.behaviour.thoughts.measure [--set held_out] [--write]`: measure the rules' accuracy.

Prints the tables of `docs/thoughts.md`, computed from the labels in `data/`. With ``--write`` they are
written to that file, and the figures that pages show are written to
`trajectories/behaviour/thoughts/scores.toml`.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from core.statistics import wilson
from tests.behaviour.thoughts.judged import (
    LABELLERS,
    NARRATION,
    REASONING,
    TITLES,
    Judged,
    judged_read,
    sampled_read,
)
from tests.behaviour.thoughts.records import SampledEpisode
from tests.behaviour.thoughts.separation import separation_of, separation_text
from trajectories.behaviour.thoughts.rules import RULES

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs" / "thoughts.md"
SCORES = ROOT / "trajectories" / "behaviour" / "thoughts" / "scores.toml"
MARK = "<!-- {} -->"
DRAWS = 400


LabelOf = Callable[[Judged], str | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="held_out", choices=["development", "held_out"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    judged = judged_read(options.set)
    print(page(judged, sampled_read(options.set)))
    if options.write and options.set == "held_out":
        text = with_tables(DOCS.read_text(encoding="utf-8"), judged, sampled_read(options.set))
        DOCS.write_text(text, encoding="utf-8")
        SCORES.write_text(scores_text(judged), encoding="utf-8")


def page(judged: Sequence[Judged], sampled: Sequence[SampledEpisode]) -> str:
    """Return the text with all tables."""
    if not judged:
        return "These rules have not been measured yet: their sample is drawn and waits for its labels."
    agreed = [one for one in judged if one.agreed]
    real = [one for one in judged if one.episode.source != "scripted"]
    episodes = {one.episode.id for one in judged}
    size = f"{len(judged)} sentences of {len(episodes)} episodes"
    share = f"{len(agreed)} of them ({len(agreed) / len(judged):.0%})"
    return "\n\n".join(
        [
            f"{size}; both labellers gave {share} the same class.",
            classes_table(judged),
            agreement_table({"all": judged, "real models": real}),
            policies_table(judged),
            weighted_text(judged),
            confusion_table(judged),
            separation_text(separation_of(judged, sampled)),
        ]
    )


def classes_table(judged: Sequence[Judged]) -> str:
    """Return a table of each class's precision and recall, on agreed labels and against each labeller."""
    head = ["class", "precision", "recall", *(f"against {one.upper()}" for one in LABELLERS)]
    ways: list[LabelOf] = [lambda one: one.agreed, lambda one: one.labels[0], lambda one: one.labels[1]]
    groups = {**{kind: frozenset({kind}) for kind in TITLES}, "reasoning": REASONING, "narration": NARRATION}
    titles = {**TITLES, "reasoning": "*reasoning, all five*", "narration": "*narration, both*"}
    rows = []
    for name, kinds in groups.items():
        counts = [counted(judged, kinds, way) for way in ways]
        hits, given, true = counts[0]
        against = [f"{_share(h, g)} / {_share(h, t)}" for h, g, t in counts[1:]]
        rows.append([titles[name], _interval(hits, given), _interval(hits, true), *against])
    return table(head, rows)


def counted(judged: Sequence[Judged], kinds: frozenset[str], label_of: LabelOf) -> tuple[int, int, int]:
    """Count the sentences that have and were given one of the classes, were given one, and have one."""
    known = [(one.given in kinds, label_of(one) in kinds) for one in judged if label_of(one)]
    return sum(g and t for g, t in known), sum(g for g, _ in known), sum(t for _, t in known)


def agreement_table(parts: Mapping[str, Sequence[Judged]]) -> str:
    """Return a table of Cohen's kappa (Cohen 1960), for all classes and for reasoning against the rest."""
    sides: dict[str, Callable[[Judged], tuple[str, str]]] = {
        "A and B": lambda one: (one.labels[0], one.labels[1]),
        "rules and A": lambda one: (one.given, one.labels[0]),
        "rules and B": lambda one: (one.given, one.labels[1]),
    }
    rows = []
    for name, side in sides.items():
        cells = []
        for part in parts.values():
            pairs = [side(one) for one in part]
            two = [(str(a in REASONING), str(b in REASONING)) for a, b in pairs]
            cells += [_kappa_text(pairs), f"{kappa(two):.2f}"]
        rows.append([name, *cells])
    head = ["kappa", *(cell for name in parts for cell in (f"{name}, classes", f"{name}, reasoning or not"))]
    return table(head, rows)


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Return Cohen's kappa: 1 if both always agree, 0 if they agree only as often as by chance."""
    if not pairs:
        return 0.0
    seen = mean(a == b for a, b in pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[kind] * second[kind] for kind in first) / len(pairs) ** 2
    return 1.0 if chance == 1 else (seen - chance) / (1 - chance)


def policies_table(judged: Sequence[Judged]) -> str:
    """Return a table by policy: how many sentences get their agreed class, and the share that narrates."""
    rows = []
    for policy in sorted({one.episode.policy for one in judged}):
        of_policy = [one for one in judged if one.episode.policy == policy]
        agreed = [one for one in of_policy if one.agreed]
        right = sum(one.given == one.agreed for one in agreed)
        by_label = mean(label in NARRATION for one in of_policy for label in one.labels)
        by_rule = mean(one.given in NARRATION for one in of_policy)
        rows.append(
            [policy, str(len(of_policy)), _interval(right, len(agreed)), f"{by_label:.0%}", f"{by_rule:.0%}"]
        )
    return table(["policy", "sentences", "right", "narration, labels", "narration, rules"], rows)


def weighted_text(judged: Sequence[Judged]) -> str:
    """Return the main figures as they would be if episodes had been drawn evenly."""
    known = [(one.episode.weight, one.given, one.agreed) for one in judged if one.agreed]
    right = sum(weight for weight, given, agreed in known if given == agreed)
    hits = sum(weight for weight, given, agreed in known if {given, agreed} <= NARRATION)
    given = sum(weight for weight, one, _ in known if one in NARRATION)
    true = sum(weight for weight, _, one in known if one in NARRATION)
    share = right / sum(weight for weight, _, _ in known)
    return (
        f"Each episode counted as often as it stands for others: {share:.0%} of sentences right, "
        f"narration with precision {_share(hits, given)} and recall {_share(hits, true)}."
    )


def confusion_table(judged: Sequence[Judged]) -> str:
    """Return a table of agreed classes (rows) by the class according to the rules (columns)."""
    counts = Counter((one.agreed, one.given) for one in judged if one.agreed)
    rows = [[TITLES[true], *(str(counts[true, given] or "") for given in TITLES)] for true in TITLES]
    return table(["labelled \\ given", *(title.lower() for title in TITLES.values())], rows)


def scores_text(judged: Sequence[Judged]) -> str:
    lines = ["# Written by `python -m tests.behaviour.thoughts.measure --write`.\n"]
    for kind in TITLES if judged else ():
        hits, given, true = counted(judged, frozenset({kind}), lambda one: one.agreed)
        parts = [f"[{kind}]", f"hits = {hits}", f"given = {given}", f"true = {true}"]
        lines += ["\n".join(parts) + "\n"]
    return "\n".join(lines)


def with_tables(text: str, judged: Sequence[Judged], sampled: Sequence[SampledEpisode]) -> str:
    """Replace the generated parts of the page, which are between marks."""
    rules = table(["class", "rule"], [[TITLES[rule.id], rule.words] for rule in RULES])
    for name, part in (("rules", rules), ("measured", page(judged, sampled))):
        begin, end = MARK.format(f"{name}: begin"), MARK.format(f"{name}: end")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n\n{part}\n\n{end}{rest.partition(end)[2]}"
    return text


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _kappa_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Format Cohen's kappa with a bootstrap interval over sentences."""
    rng = random.Random(1)
    draws = sorted(kappa(rng.choices(pairs, k=len(pairs))) for _ in range(DRAWS))
    return f"{kappa(pairs):.2f} ({draws[DRAWS // 40]:.2f} to {draws[-DRAWS // 40]:.2f})"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def _interval(part: int, whole: int) -> str:
    if not whole:
        return "–"
    low, high = wilson(share=part / whole, n=whole)
    return f"{part / whole:.0%} of {whole} ({low:.0%} to {high:.0%})"


if __name__ == "__main__":
    main()
