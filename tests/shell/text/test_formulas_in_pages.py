"""Formulas in the lab's pages: rendered where there is room, in plain characters in lists."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


def test_a_latex_problem_keeps_its_source_for_readers_without_scripts(lab: Lab, owner: User) -> None:
    payload = {"text": r"What is $\frac{1}{2}$ of \$10?", "format": "latex"}
    task = factories.task(prompt=payload["text"], payload=payload)
    html = lab(owner).get(f"/tasks/{task.pk}/").content.decode()
    assert r'role="math" aria-label="\frac{1}{2}"' in html
    assert "of $10?" in html


def test_lists_show_a_problem_beyond_its_first_line(lab: Lab, owner: User) -> None:
    text = "Let\n\\[f(x) =\n\\left\\{ x \\right.\\]\nFind $f(1)$."
    factories.task(prompt=text, payload={"text": text, "format": "latex"})

    assert "Let f(x) = { x Find f(1)." in lab(owner).get("/tasks/").content.decode()


def test_a_list_of_steps_shows_formulas_in_plain_characters(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought=r"So $\frac{1}{2} \le x$, and it costs $5 or $6.")
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert "So 1/2 ≤ x, and it costs $5 or $6." in html


def test_a_list_of_steps_shows_multiline_and_truncated_formulas(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="\\[x^2\n= \\frac{1}{2}\\]\nSo it is.")
    factories.step(episode, 2, thought="So $" + r"\mathrm{x}" * 50 + "$ is it.")
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert 'dir="auto">x² = 1/2</p>' in html
    assert f'dir="auto">So {"x" * 39}…</p>' in html


def test_lists_show_the_question_behind_a_long_drawing(lab: Lab, owner: User) -> None:
    text = "[asy]" + "draw((0,0)--(1,1));" * 9 + r"[/asy]What is $\dfrac{1}{2}$ of it?"
    task = factories.task(prompt=text, payload={"text": text, "format": "latex"})
    factories.episode(task=task)
    for address in ("/tasks/", "/search"):
        assert "[figure] What is 1/2 of it?" in lab(owner).get(address).content.decode()
