"""Reference solutions are cut into steps, and the steps are stored with their golds."""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command

from core.text.toml import table_load
from tasks_app import solutions
from tasks_app.families.registry import FAMILIES, discover, list_families
from tasks_app.leaks.checks import clean_steps_store
from tasks_app.models import Gold
from tasks_app.registry import benchmarks
from tasks_app.solutions import lines, sentences
from tests import factories
from tests.tasks_app import samples
from verifiers import denotations

WAYS = [module.name for module in pkgutil.iter_modules(solutions.__path__)]
FOLDER = Path(next(iter(solutions.__path__)))


class Example(msgspec.Struct, forbid_unknown_fields=True):
    solution: str
    steps: list[str]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_cutting_does_what_its_examples_say(way: str) -> None:
    cut = importlib.import_module(f"tasks_app.solutions.{way}").cut
    examples = table_load(FOLDER / f"{way}.toml", Example)
    assert [cut(example.solution) for example in examples] == [example.steps for example in examples]


def official(name: str) -> list[dict[str, Any]]:
    path = samples.SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_joined_steps_of_math_give_back_the_solution_and_end_with_its_answer() -> None:
    texts = [row["solution"] for row in official("math/train.jsonl")]
    cut = [sentences.cut(text) for text in texts]
    assert ["".join(steps) for steps in cut] == texts
    assert all(step.strip() for steps in cut for step in steps)
    # A formula that is cut open has an odd number of dollars.
    whole = [
        step.replace(r"\$", "").count("$") % 2 == 0 for steps in cut for step in steps if "[asy]" not in step
    ]
    assert sum(whole) > 0.998 * len(whole)
    counts = sorted(map(len, cut))
    assert counts[len(counts) // 2] in (3, 4)
    assert counts[-1] < 40
    assert sum(count == 1 for count in counts) < 0.1 * len(counts)


def test_lines_of_gsm8k_are_the_steps_that_the_paper_counts() -> None:
    plugin = benchmarks.get("gsm8k")
    assert plugin.cut is lines.cut
    drafts = [_gsm8k(row) for row in official("gsm8k/train.jsonl")]
    cut = [lines.cut(solution) for solution in drafts]
    assert ["".join(steps) for steps in cut] == drafts
    assert all(2 <= len(steps) <= 9 for steps in cut)
    assert not any("<<" in step or "####" in step for steps in cut for step in steps)


def _gsm8k(row: dict[str, Any]) -> str:
    from tasks_app.benchmarks.gsm8k import worked_steps

    return worked_steps(row["answer"])


@pytest.mark.django_db
def test_loading_stores_the_steps_and_loading_again_makes_no_new_golds(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    call_command("load_benchmark", "gsm8k", "--file", str(path), stdout=io.StringIO())
    golds = Gold.objects.exclude(solution="")
    assert golds
    assert all("".join(gold.steps) == gold.solution for gold in golds)
    Gold.objects.update(steps=[])
    call_command("load_benchmark", "gsm8k", "--file", str(path), stdout=io.StringIO())
    golds = Gold.objects.exclude(solution="")
    assert all("".join(gold.steps) == gold.solution and gold.version == 1 for gold in golds)


@pytest.mark.django_db
def test_the_command_cuts_stored_solutions_and_counts_them(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    call_command("load_benchmark", "gsm8k", "--file", str(path), stdout=io.StringIO())
    Gold.objects.update(steps=[])
    out = io.StringIO()
    call_command("cut_solutions", stdout=out)
    assert out.getvalue().splitlines()[0] == "3 solutions cut again."
    assert out.getvalue().splitlines()[-1].split()[:4] == ["gsm8k/train", "3", "3", "3"]
    call_command("cut_solutions", "gsm8k", stdout=(again := io.StringIO()))
    assert again.getvalue().startswith("0 solutions")


@pytest.mark.django_db
def test_the_command_counts_solutions_whose_first_steps_hold_the_answer() -> None:
    row = factories.benchmark(id="gsm8k")
    for steps in (["3*12=36.\n", "36-6=30.\n", "30"], ["It is 30.\n", "So 30.\n", "30"], ["30"]):
        task = factories.task(benchmark=row, answer="30", split="train", solution="".join(steps))
        Gold.objects.filter(task=task).update(steps=steps)
    call_command("cut_solutions", "gsm8k", "--leaks", stdout=(out := io.StringIO()))
    cells = out.getvalue().splitlines()[-1].split()
    assert cells == ["gsm8k/train", "2", "50.0%", "100.0%", "100.0%", "16.7%"]


@pytest.mark.django_db
@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_of_the_way_through_a_site_all_but_the_answer_can_be_given(site: str) -> None:
    call_command("load_benchmark", site, count=24, seed=1, split="test", stdout=io.StringIO())
    golds = list(Gold.objects.select_related("task"))
    clean_steps_store(golds)
    assert {gold.task.tags[0] for gold in golds} == {f"family:{one.id}" for one in list_families(site)}
    for gold in golds:
        assert len(gold.steps) > 5
        assert gold.clean_steps == len(gold.steps) - 1
        assert all(value in gold.steps[-1] for value in denotations.split_cell(gold.answer))


def test_the_way_is_the_same_for_a_task_and_its_impossible_twin() -> None:
    discover()
    for family in map(FAMILIES.get, FAMILIES):
        assert len(family.way) >= 5
        assert not any("{" in act or re.search(r"\d", act) for act in family.way)
