"""The scripted visitors of the mock sites, who solve their tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import Page

from core.presentation import Look
from gymsite.oracle import reviews, stays
from gymsite.oracle.patience import settled
from gymsite.oracle.stays_visitor import Visitor
from tasks_app.families.types import SiteTask


def _stays(page: Page, task: SiteTask, world: Any, look: Look) -> int:
    one = Visitor(page=page, look=look, town=world)
    one.arrive()
    one.submit(stays.SOLVERS[task.family](one, task), task.fields)
    return one.moves


def _reviews(page: Page, task: SiteTask, world: Any, look: Look) -> int:
    settled(page)
    solver = reviews.Solver(page, world, task, look)
    solver.submit(reviews.solve(solver))
    return solver.moves


SOLVERS: Mapping[str, Callable[[Page, SiteTask, Any, Look], int]] = {"stays": _stays, "reviews": _reviews}
"""Each solves the task, in its world, of the episode whose first page is open, and submits the answer; it
returns the number of moves. Keys are sites."""
