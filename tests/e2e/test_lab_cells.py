"""Text stays within its cell, link or label, whatever the width of the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests import factories
from tests.e2e.test_lab_pages import settled
from trajectories.models import Run

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

# Text that its own box neither holds nor clips: it lies over what stands beside it.
SPILLS = """() => {
  const boxes = [...document.querySelectorAll("td, th, dd, dt, .rail-link, .card")];
  const isBound = (one) => {
    const style = getComputedStyle(one);
    return style.overflowX !== "visible" || style.position === "absolute";
  };
  const spills = (box) => {
    const { left, right } = box.getBoundingClientRect();
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      let part = text.parentElement;
      while (part !== box && !isBound(part)) part = part.parentElement;
      if (!text.data.trim() || isBound(part)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const isOutside = (line) => line.right > right + 1 || line.left < left - 1;
      if ([...range.getClientRects()].some(isOutside)) return text.data.trim();
    }
  };
  return boxes.filter((box) => box.offsetParent).map(spills).filter(Boolean);
}"""


# Scripts follow a change of the window within a frame.
FOLLOWED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A run whose tasks were played often, as text and as pages: its figures are long."""
    made = factories.run(kind="eval")
    for _ in range(10):
        task = factories.task()
        for arm in ("text_zero_shot", "text_agent", "gym_with_text", "gym"):
            for attempt in range(2):
                episode = factories.episode(run=made, task=task, arm=arm)
                factories.submission(episode)
                factories.verdict(episode, outcome="correct" if attempt or arm == "gym" else "incorrect")
    return made


def test_no_text_of_a_page_lies_over_what_is_beside_it(lab_page: Callable[..., Page], run: Run) -> None:
    page = lab_page()
    for path in (f"/runs/{run.pk}/", "/", "/tasks/", "/search"):
        page.goto(path)
        settled(page)
        for width in (768, 1280, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(FOLLOWED)
            assert page.evaluate(SPILLS) == [], (path, width)
