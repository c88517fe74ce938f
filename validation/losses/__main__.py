"""Measures the rules that classify losses, on synthetic trajectories with known classes."""

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

A report sorts episodes that are wrong as a page, on items that are right as text, into classes. The classes
are **heuristic**: rules over what was recorded (verdict, observations, thoughts, answer, reading probes),
never over golds. The first rule that holds gives the class; without one an episode is *undetermined*.

| class | rule |
|---|---|
{rules}

## How often the rules are right

On made trajectories, {each:,} of each class, put together from questions and phrases
(`validation/losses/made.toml`). The rules were tuned on the first set and are measured on the
second, which shares no text with it. Made trajectories are cleaner than real ones: these figures are
upper bounds. 95% Wilson intervals.

| class | precision | recall | recall, tuning set |
|---|---|---|---|
{scores}

## On real episodes

{count} wrong episodes on pages (`validation/losses/real_sample.jsonl`) of {models}, each read from
beginning to end, before the rules were applied to it, by a reader (a language model) who was told what the
classes mean and no rule. {tuned} of them showed what rules were missing; the table is of the other
{held_out}, from later runs. So small a model seldom submits: the classes that need an answer do not occur.

| class | episodes | precision | recall |
|---|---|---|---|
{real}

What the rules miss by construction: a number that is misread as an altogether different one, without a
reading probe; an answer that differs from a conclusion that no thought states; a model that reads a
page silently.

`python -m validation.losses --write docs/losses.md` wrote this page.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the rules, and print or write the page of the results."""
    parser = ArgumentParser(prog="python -m validation.losses", description=__doc__)
    parser.add_argument("--each", type=int, default=1_000, help="Made trajectories of each class.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="FILE", help="Write the page of the table.")
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
    """Return the values of the page about real episodes."""
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
