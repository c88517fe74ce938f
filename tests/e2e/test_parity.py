from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from playwright.sync_api import Browser

from gymsite.question_pages.server import Item
from tasks_app import draft_assets
from tasks_app.models import Task
from tasks_app.types import TaskDraft
from tests import factories
from tests.e2e.commands import command_error
from tests.e2e.test_question_kinds import HARD, SAMPLES
from validation.parity.check import Failure, items_check

pytestmark = pytest.mark.e2e

TOO_LONG = "word " * 25_000


def check(*texts: str, text_format: str = "latex") -> list[Failure | None]:
    return check_items([Item("free_answer", {"text": text, "format": text_format}) for text in texts])


def check_items(items: list[Item]) -> list[Failure | None]:
    """In a thread of its own, because the browser of other tests keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(items_check, items).result()


def item_of(draft: TaskDraft) -> Item:
    whole = draft_assets.draft_complete(draft)
    return Item(whole.kind, whole.payload)


def check_parity(*arguments: str) -> tuple[str, str]:
    """What the command printed, and with which error it ended; in a thread as above."""
    output = StringIO()
    with ThreadPoolExecutor(1) as thread:
        error = thread.submit(command_error, "check_parity", *arguments, stdout=output).result()
    return output.getvalue(), error


def test_formulas_tables_and_money_are_recovered_from_a_real_page(browser: Browser) -> None:
    failures = check(
        "Find $\\frac{1}{2^{10}}$ of \\$5\\[f(x) = \\begin{cases} x & x \\ge 0 \\\\ -x \\end{cases}\\]is",
        "The table:\n\n\\begin{tabular}{|c|c|}\\hline\n$a$ & b \\\\ \\hline\n\\end{tabular}\n\nWhat is $a$?",
        'A formula that cannot be drawn: $\\nosuchcommand{x}$, and <b>tags</b> & "quotes" stay.',
    )
    assert failures == [None, None, None]


def test_text_missing_from_the_observation_is_a_failure(browser: Browser) -> None:
    first, second = check("Short.", TOO_LONG, text_format="plain")
    assert first is None
    assert second is not None
    assert second.problem.startswith("The page is longer than an observation may be")


def test_a_page_longer_than_an_observation_is_recovered_by_reading_it(browser: Browser) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number} says {'so much ' * 60}." for number in range(60))
    assert check(paragraphs, text_format="plain") == [None]


@pytest.mark.slow
def test_every_kind_of_question_is_recovered(browser: Browser) -> None:
    # No single page states the question of a mock site, and it counts in no modality gap.
    drafts = {**HARD, **{name: draft for name, draft in SAMPLES.items() if draft.kind != "site"}}

    failures = check_items([item_of(draft) for draft in drafts.values()])

    assert dict(zip(drafts, failures, strict=True)) == dict.fromkeys(drafts)


def test_a_picture_whose_size_differs_from_the_task_is_a_failure(browser: Browser) -> None:
    item = item_of(HARD["a wide picture"])
    pictures = [{**item.payload["pictures"][0], "width": 1000}]

    (failure,) = check_items([Item(item.kind, {**item.payload, "pictures": pictures})])

    assert failure is not None
    assert failure.problem == "Figure 1 is 1500 by 300 pixels where the task says 1000 by 300"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_command_reports_failures_and_sets_and_removes_their_marks(browser: Browser) -> None:
    call_command("load_starter_tasks", verbosity=0)
    unfit = set(Task.objects.filter(gap_eligible=False).values_list("pk", flat=True))
    figure = factories.task(gap_eligible=False, gap_reason="a figure")
    long = factories.task(payload={"text": TOO_LONG, "format": "plain"})

    output, error = check_parity("--benchmark", "gsm8k", "--mark")

    assert error == "1 items cannot be recovered."
    assert output.split("\n")[1].split() == ["gsm8k", "5", "3", "1", "1"]
    assert "gsm8k: 1 not eligible and not checked: a figure" in output
    assert f"(task {long.pk})" in output
    assert set(Task.objects.filter(gap_eligible=False).values_list("pk", flat=True)) == {
        *unfit,
        figure.pk,
        long.pk,
    }

    Task.objects.filter(pk=long.pk).update(payload={"text": "Short again.", "format": "plain"})
    _, error = check_parity("--benchmark", "gsm8k", "--mark")

    assert error == ""
    assert set(Task.objects.filter(gap_eligible=False).values_list("pk", flat=True)) == {*unfit, figure.pk}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_command_leaves_mock_sites_as_they_are(browser: Browser) -> None:
    stays = factories.benchmark(id="stays", kind="site")
    eligible = {factories.task(benchmark=stays, kind="site", gap_eligible=True).pk for _ in range(3)}

    output, error = check_parity("--benchmark", "stays", "--mark")

    assert error == ""
    assert "stays: 3 not checked: its pages are a whole site" in output
    assert set(Task.objects.filter(gap_eligible=True).values_list("pk", flat=True)) == eligible


@pytest.mark.django_db(transaction=True)
def test_the_command_refuses_an_empty_database_and_an_unknown_benchmark() -> None:
    with pytest.raises(CommandError, match=r"^There are no tasks to check: load a benchmark first\.$"):
        call_command("check_parity")
    with pytest.raises(CommandError, match="Did you mean math"):
        call_command("check_parity", "--benchmark", "maths")
