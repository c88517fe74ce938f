"""Accessibility violations that axe-core finds on a page: https://github.com/dequelabs/axe-core."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

SOURCE = Path(__file__).parent / "vendor" / "axe.min.js"
GRAVE = frozenset({"serious", "critical"})
RUN = """async grave => {
  // The page's own scripts follow a change of the window within a frame.
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  // The other rules take a third of the time, and what they find is not reported.
  const others = axe._audit.rules.filter(({ impact }) => !grave.includes(impact));
  const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]));
  const { violations } = await axe.run(document, { resultTypes: ["violations"], rules });
  return violations.map(({ id, impact, help, nodes }) =>
    ({ id, impact, help, where: nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`) }));
}"""


def violations(page: Page) -> list[str]:
    """Return the serious and critical violations, each with its rule and the elements that break it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SOURCE.read_text(encoding="utf-8"))
    broken_rules = page.evaluate(RUN, [*GRAVE])
    return [f"{one['id']}: {one['help']} {one['where']}" for one in broken_rules if one["impact"] in GRAVE]
