"""Measure the rules that classify lost episodes, on synthetic trajectories with known classes."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.statistics import wilson
from trajectories.reports.losses.rules import RULES, TITLES
from validation.losses import made, real_sample
from validation.losses.scores import SETS, Score

PAGE = """# Where an episode was lost

If an item is answered right as text but wrong as a page, a report sorts the wrong episode into one of these
classes. The classes are **heuristic**. Their rules use what was recorded (verdict, observations, thoughts,
answer, reading probes), but never golds. The first rule that applies decides the class; if none applies, an
episode is *undetermined*.

| class | rule |
|---|---|
{rules}

## How often the rules are right

The rules were measured on {each:,} synthetic trajectories of each class, composed of questions and phrases
(`validation/losses/made.toml`). They were tuned on a first set of trajectories and measured on a second set,
which shares no text with the first. Synthetic trajectories are cleaner than real ones, so these figures are
upper bounds. Intervals are 95% Wilson intervals.

| class | precision | recall | recall, tuning set |
|---|---|---|---|
{scores}

## On real episodes

A reader (a language model) classified {count} wrong episodes on pages (`validation/losses/real_sample.jsonl`)
by {models},
each read from beginning to end before the rules were applied to it. The reader knew what the
classes mean, but not the rules. {tuned} of the episodes served to find missing rules; the table covers the
other {held_out}, from later runs. Such a small model seldom submits an answer, so the classes that require
one do not occur.

| class | episodes | precision | recall |
|---|---|---|---|
{real}

By construction, the rules miss a number that is misread as an entirely different one, if there is no reading
probe; an answer that differs from a conclusion that no thought states; and a model that reads a page without
writing down what it read.

`python -m validation.losses --write docs/losses.md` wrote this page.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the rules, and print the page of results or write it to a file."""
    parser = ArgumentParser(prog="python -m validation.losses", description=__doc__)
    parser.add_argument("--each", type=int, default=1_000, help="Synthetic trajectories per class.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="FILE", help="Also write the page to this file.")
    options = parser.parse_args(arguments)
    held_out, tuning = (
        {score.id: score for score in made.scores(name, each=options.each, seed=options.seed)}
        for name in reversed(SETS)
    )
    lines = [
        f"| {TITLES[kind]} | {_share(score.hits, score.given)} | {_share(score.hits, score.true)} "
        f"| {_share(tuning[kind].hits, tuning[kind].true)} |"
        for kind, score in held_out.items()
    ]
    rules = "\n".join(f"| {rule.title} | {rule.words} |" for rule in RULES)
    page = PAGE.format(rules=rules, each=options.each, scores="\n".join(lines), **_real())
    print(page, end="")
    if options.write:
        options.write.write_text(page, encoding="utf-8")


def _real() -> dict[str, Any]:
    """Return the page's values about real episodes."""
    episodes = real_sample.classed_episodes()
    held_out = sum(one.set == "held_out" for one in episodes)
    lines = [_line(score) for score in real_sample.scores("held_out") if score.true or score.given]
    models = ", ".join(sorted({one.model for one in episodes}))
    return {
        "count": len(episodes),
        "held_out": held_out,
        "tuned": len(episodes) - held_out,
        "models": models,
        "real": "\n".join(lines),
    }


def _line(score: Score) -> str:
    shares = f"{_share(score.hits, score.given)} | {_share(score.hits, score.true)}"
    return f"| {TITLES[score.id]} | {score.true} | {shares} |"


def _share(hits: int, count: int) -> str:
    if not count:
        return "–"
    low, high = wilson(share=hits / count, n=count)
    return f"{hits / count:.1%} ({low:.1%} to {high:.1%})"


if __name__ == "__main__":
    main()
