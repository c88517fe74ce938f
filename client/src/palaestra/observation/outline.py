"""A page's outline as a model reads it: the whole outline, or the parts of a long one that matter now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.surface import PageView
from palaestra.protocol.observations import Scope
from palaestra.protocol.outline import INDENT, STILL_LOADING, line_depth

WHOLE_PAGE = "page"  # the section name with which ``read`` returns the whole page
GAP_CHARS = 100
"""The approximate length of the line that replaces omitted lines."""
SECTIONS = ("heading", "region", "article", "navigation", "complementary", "search", "form", "group", "table")


def page_head(view: PageView) -> str:
    return f'page "{" ".join(view.title.split())}" {view.url}'


def page_text(view: PageView, bounds: EpisodeBounds) -> str:
    """Return a page's whole outline: one line about the page, followed by its body."""
    lines = [page_head(view), view.text, *([] if view.is_settled else [STILL_LOADING])]
    return bounds.mask("\n".join(lines))


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Limits of an outline: ``max_chars`` characters, from the whole page or only from the viewport."""

    max_chars: int
    scope: Scope = "page"

    def is_needed(self, lines: Sequence[str]) -> bool:
        """Return whether some of the page's lines must be left out."""
        return self.scope != "page" or sum(len(line) + 1 for line in lines) > self.max_chars


def outline_cut(
    lines: Sequence[str], *, in_view: Collection[int], new: Collection[int], cut: Cut
) -> list[str]:
    """Return the lines of a page's body that a model is shown, in their original order.

    If all lines fit, all are shown. Otherwise lines that are new since the last action have priority, then
    lines in the viewport, then the lines nearest to these. Each run of omitted lines is replaced by one line.
    """
    if not cut.is_needed(lines):
        return list(lines)
    ranked = list(_by_priority(len(lines), in_view=in_view, new=new, scope=cut.scope))
    parents = _parents(lines)
    spare = GAP_CHARS
    while True:
        chosen = _chosen(lines, ranked, parents, max_chars=cut.max_chars - spare)
        shown = _with_gaps(lines, chosen, parents)
        excess = sum(len(line) + 1 for line in shown) - cut.max_chars
        if excess <= 0 or spare > cut.max_chars:
            return shown
        spare += excess


def _chosen(
    lines: Sequence[str], ranked: Sequence[int], parents: Sequence[int | None], *, max_chars: int
) -> set[int]:
    """Return as many of the first ``ranked`` lines as fit, together with their ancestors."""
    chosen: set[int] = set()
    for number in ranked:
        added = _with_parents(number, parents, chosen)
        max_chars -= sum(len(lines[each]) + 1 for each in added)
        if max_chars < 0 and chosen:
            break
        chosen.update(added)
    return chosen


def _by_priority(
    count: int, *, in_view: Collection[int], new: Collection[int], scope: Scope
) -> Iterable[int]:
    first = [*sorted(new), *(number for number in sorted(in_view) if number not in set(new))]
    yield from first
    if scope == "viewport":
        return
    distances = _distances(count, first or [0])
    yield from sorted(set(range(count)).difference(first), key=lambda number: (distances[number], number))


def _distances(count: int, anchors: Sequence[int]) -> list[int]:
    """Return each line's distance from the nearest anchor; distances before an anchor count double."""
    distances = [2 * count] * count
    known = set(anchors)
    last = None
    for number in range(count):
        last = number if number in known else last
        if last is not None:
            distances[number] = number - last
    following = None
    for number in reversed(range(count)):
        following = number if number in known else following
        if following is not None:
            distances[number] = min(distances[number], 2 * (following - number))
    return distances


def _parents(lines: Sequence[str]) -> list[int | None]:
    """Return, for each line, the number of the line that it is nested in."""
    parents: list[int | None] = []
    open_lines: list[int] = []
    for number, line in enumerate(lines):
        while open_lines and line_depth(lines[open_lines[-1]]) >= line_depth(line):
            open_lines.pop()
        parents.append(open_lines[-1] if open_lines else None)
        open_lines.append(number)
    return parents


def _with_parents(number: int, parents: Sequence[int | None], chosen: Collection[int]) -> list[int]:
    added: list[int] = []
    at: int | None = number
    while at is not None and at not in chosen:
        added.append(at)
        at = parents[at]
    return added


def _with_gaps(lines: Sequence[str], chosen: Collection[int], parents: Sequence[int | None]) -> list[str]:
    shown: list[str] = []
    gap: list[int] = []
    for number, line in enumerate(lines):
        if number not in chosen:
            gap.append(number)
            continue
        shown += [_gap_line(lines, gap, parents), line] if gap else [line]
        gap = []
    return [*shown, _gap_line(lines, gap, parents)] if gap else shown


def _gap_line(lines: Sequence[str], gap: Sequence[int], parents: Sequence[int | None]) -> str:
    """Return the line that replaces omitted lines: it gives their length and says how to read them."""
    left_out = [lines[number] for number in gap]
    chars = sum(len(line) + 1 for line in left_out)
    begun = [] if name_section(left_out[0]) else _section_around(lines, gap[0], parents)
    sections = [*begun, *(name for line in left_out if (name := name_section(line)))]
    what = f"{chars:,} more characters"
    if len(sections) > 1:
        what += f', from "{sections[0]}" to "{sections[-1]}"'
    how = "one of these sections" if len(sections) > 1 else f'"{sections[0] if sections else WHOLE_PAGE}"'
    return f"{INDENT * min(map(line_depth, left_out))}... {what}: read {how} or scroll"


def _section_around(lines: Sequence[str], number: int, parents: Sequence[int | None]) -> list[str]:
    """Return the name of the innermost named section that contains a line: a list of one name, or none."""
    at = parents[number]
    while at is not None:
        if name := name_section(lines[at]):
            return [name]
        at = parents[at]
    return []


def name_section(line: str) -> str:
    """Return the name with which the section that begins at ``line`` can be read; empty for other lines."""
    role, _, name = line.strip().partition(' "')
    return name[:-1] if role.split(" ")[0] in SECTIONS and name.endswith('"') else ""
