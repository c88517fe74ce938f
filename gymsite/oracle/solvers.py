"""Scripted visitors that solve the tasks of the mock sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import Page

from core.episodes.presentation import Look
from gymsite.oracle import reviews, stays
from gymsite.oracle.patience import wait_settled
from gymsite.oracle.stays_visitor import Visitor
from tasks_app.families.types import SiteTask


def _stays(page: Page, task: SiteTask, world: Any, look: Look) -> int:
    visitor = Visitor(page=page, look=look, town=world)
    visitor.arrive()
    visitor.submit(stays.SOLVERS[task.family](visitor, task), task.fields)
    return visitor.moves


def _reviews(page: Page, task: SiteTask, world: Any, look: Look) -> int:
    wait_settled(page)
    solver = reviews.Solver(page, world, task, look)
    solver.submit(reviews.solve(solver))
    return solver.moves


SOLVERS: Mapping[str, Callable[[Page, SiteTask, Any, Look], int]] = {"stays": _stays, "reviews": _reviews}
"""The solver of each site. It starts on the first page of an episode, solves the task in the given world,
submits the answer, and returns the number of moves.
"""
