"""Template tags and filters for numbers, times, labels and untrusted text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from core.statistics import Rate
from core.text.toml import toml_load
from core.web import assets
from core.web.live_address import live_url, socket_origin
from palaestra.protocol import grammars, histories
from palaestra.protocol.arms import ARMS
from palaestra.protocol.end_reasons import CLOSE_REASONS, END_REASONS
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from tasks_app.kinds import kind_label
from trajectories.actions.checks import CHECKS
from trajectories.actions.rules import NOT_PERFORMED, RESULTS
from trajectories.models import Episode, Run
from trajectories.shell.forms import EPISODES_MAX
from trajectories.shell.grid.columns import Column
from trajectories.shell.grid.episodes import EPISODES
from trajectories.shell.grid.view import Grid, grid_short
from trajectories.shell.queries.fidelity import share_format
from trajectories.shell.queries.previews import EpisodeRow
from trajectories.shell.queries.step_facts import StepLabel
from trajectories.shell.roles import is_annotator
from trajectories.shell.text import formulas, long_text, questions
from trajectories.shell.text.actions import NOT_CHECKED_LABEL, action_phrase, check_label, name_kind, pretty
from trajectories.shell.text.excerpts import excerpt_html
from trajectories.shell.text.untrusted import cut, visible, visible_html
from trajectories.shell.text.values import Value, fields_of, numeral, values_of

SNIPPETS = toml_load(Path(__file__).with_name("snippets.toml"), dict[str, str])


def snippet(kind: str, file: str) -> str:
    """Return a code snippet that loads an export; ``file`` is the name under which the export is saved."""
    return SNIPPETS[kind].strip().replace("{file}", file)


register = template.Library()
FILTERS: dict[str, Callable[..., Any]] = {
    "as_json": pretty,
    "check_label": check_label,
    "excerpt": excerpt_html,
    "figures_named": formulas.figures_named,
    "first_line_to_text": formulas.first_line_to_text,
    "formula_to_text": formulas.formula_to_text,
    "gold_named": questions.gold_named,
    "is_annotator": is_annotator,
    "long_text": long_text.beginning,
    "parts": questions.content_parts,
    "phrase": action_phrase,
    "plain": visible,
    "question_line": formulas.question_line,
    "share_format": share_format,
    "untrusted": visible_html,
}
for name, function in FILTERS.items():
    register.filter(name, function)
register.inclusion_tag("lab/shared/_question.html", name="problem")(questions.problem_context)

LABELLED: dict[str, Any] = {**CLOSE_REASONS, **END_REASONS, **ARMS, **OBSERVATION_FORMATS, **GRAMMARS}
UNITS = ((86_400 * 365, "y"), (86_400 * 30, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))
OUTCOMES = ("correct", "incorrect", "void", "submitted", "open")
OUTCOME_TAGS = {"correct": "good", "incorrect": "bad", "void": "warn"}
ICONS = "img/lab/icons.svg"
STATE_TAGS = {
    "open": "accent",
    "submitted": "accent",
    "down": "bad",
    "missing": "warn",
    "unknown": "warn",
    "failed": "bad",
    "revoked": "bad",
    "in use": "good",
}
# Position and size of an interval's plot, in units of its SVG.
PLOT_LEFT = 4
PLOT_WIDTH = 100
LINE_CHARS = 120


@register.filter
def marked(value: object, find: str) -> SafeString:
    """Escape untrusted text and highlight the matches of ``find``."""
    return long_text.marked("" if value is None else str(value), find)


@register.filter
def gold_values(gold: str, task: Any) -> list[Value]:
    """Return the value that a gold gives for each field of its task."""
    return values_of(fields_of(task), given=(), expected=gold)


@register.filter
def has_lines(value: str) -> bool:
    """Return True if a text, such as a program or a grid, contains line breaks that must be kept."""
    return "\n" in value.strip()


@register.filter
def check_tone(kind: str) -> str:
    return CHECKS[kind].tone if kind in CHECKS else "plain"


@register.inclusion_tag("lab/shared/_action_check.html")
def check_tag(
    step_label: StepLabel, action_type: str, result: str, *, is_whole: bool = False
) -> dict[str, Any]:
    """Render an action check's outcome. Lists show only outcomes with a sign; ``is_whole`` shows all."""
    kind = name_kind(step_label.action_check, action_type=action_type)
    is_unchecked = kind == "unknown" and step_label.is_provisional
    is_undone = kind == "no_effect" and result in NOT_PERFORMED
    return {
        "label": NOT_CHECKED_LABEL if is_unchecked else check_label(kind, action_type, result=result),
        "check": CHECKS.get(kind),
        "detail": step_label.detail,
        "is_whole": is_whole,
        "is_so_far": step_label.is_provisional and not is_undone and not is_unchecked,
    }


@register.filter
def percent(share: float) -> str:
    if 0 < share <= 0.0005:
        return "<0.1%"
    return f"{share * 100:.1f}%" if 0.0005 < share < 0.9995 else f"{share * 100:.0f}%"


@register.filter
def count(number: int) -> str:
    """Format a count with thousands separators."""
    return f"{number:,}"


@register.filter
def hundredths(value: float) -> str:
    """Format a measure, which may be negative, with two decimals."""
    return numeral(value, ".2f")


@register.filter
def decimal(value: float | None) -> str:
    """Format a number, which may be negative, with four significant digits, or None as a dash."""
    return "–" if value is None else numeral(value, ".4g")


@register.filter
def milliseconds(value: float | None) -> str:
    """Format a duration, given in milliseconds, in the most readable unit."""
    if value is None:
        return "–"
    if value < 1_000:
        return f"{value:.0f} ms"
    if value < 60_000:
        return f"{value / 1_000:.1f} s"
    minutes, seconds = divmod(round(value / 1_000), 60)
    return f"{minutes} min {seconds} s"


@register.simple_tag
def when(moment: datetime | None, now: datetime | None = None, *, never: str = "–") -> SafeString | str:
    """Show how long ago something was, with the exact time (UTC) on hover and in ``datetime``.

    ``never`` is shown if there is no time.
    """
    if moment is None:
        return never
    exact = moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        exact,
        ago(moment, now or timezone.now()),
    )


def ago(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    for size, unit in UNITS:
        if abs(seconds) >= size:
            amount = f"{int(abs(seconds) // size)} {unit}"
            return f"{amount} ago" if seconds > 0 else f"in {amount}"
    return "just now"


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of ``static/img/lab/icons.svg``. It accompanies a word, so screen readers skip it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static(ICONS), name
    )


@register.simple_tag
def module(name: str) -> SafeString:
    """Return an ES module's script element, and preload its imports so that all are fetched in parallel."""
    imported = [(static(imported),) for imported in assets.find_imports(name)]
    announced = format_html_join("\n", '<link rel="modulepreload" href="{}">', imported)
    return format_html('{}\n<script type="module" src="{}"></script>', announced, static(name))


@register.simple_tag
def tag_of(value: str) -> SafeString:
    """Render an outcome, status or action result as a coloured tag."""
    result = RESULTS.get(value)
    tone = OUTCOME_TAGS.get(value) or (result and result.tone) or STATE_TAGS.get(value) or "plain"
    return format_html('<span class="tag tag-{}">{}</span>', tone, value)


@register.filter
def label(code: str) -> str:
    """Return the label of an arm, an observation format, a grammar, an end reason or a close reason."""
    entry = LABELLED.get(code)
    return entry.label if entry else visible(code)


@register.inclusion_tag("lab/shared/_setup.html")
def setup_tags(run: Run) -> dict[str, Any]:
    """Render a run's set-up as tags: the observation, and everything that differs from the default."""
    return {
        "run": run,
        "is_json": run.grammar == grammars.DEFAULT,
        "is_full": run.history == histories.DEFAULT,
    }


@register.simple_tag
def history_of(name: str) -> SafeString:
    """Return the label of a history policy, with its name and description on hover."""
    history = histories.history_read(name)
    return format_html('<span title="{}: {}">{}</span>', name, history.policy.description, history.label)


@register.simple_tag
def label_of(code: str) -> SafeString:
    """Return the label of a code, with the code and its description on hover."""
    entry = LABELLED.get(code)
    title = f"{code}: {entry.description}" if entry else visible(code)
    return format_html('<span title="{}">{}</span>', title, label(code))


@register.simple_tag(takes_context=True)
def cell(context: template.Context, column: Column) -> SafeString:
    """Render a column for the ``row`` in the context; empty if there is nothing to show."""
    return mark_safe(column.template.render(context).strip())  # noqa: S308 (rendered)


@register.filter
def problem_words(problem: str) -> str:
    """Return the first line of a problem, which describes it."""
    return problem.partition("\n")[0]


@register.filter
def problem_detail(problem: str) -> str:
    """Return what follows a problem's first line, namely a program's error."""
    return problem.partition("\n")[2]


@register.filter
def kind_name(kind: str) -> str:
    """Return the label of a question kind."""
    return kind_label(kind)


@register.simple_tag
def line_of(text: str) -> SafeString:
    """Return the beginning of an untrusted text as one line."""
    return visible_html(cut(" ".join(text.split()), LINE_CHARS))


@register.simple_tag
def measure_of(value: object, *, is_share: bool) -> str:
    """Format an episode's measure, or a dash if the episode lacks it or has not been measured yet."""
    if not isinstance(value, int | float):
        return "–"
    if is_share:
        return percent(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


@register.simple_tag
def episode_grid(episodes: Sequence[Episode], columns: str) -> Grid:
    """Return a short list of episodes to show inside another page."""
    return grid_short(
        EPISODES, [EpisodeRow(episode=episode) for episode in episodes], columns=columns.split()
    )


@register.inclusion_tag("lab/shared/_in_pandas.html")
def in_pandas(kind: str, *name_parts: object) -> dict[str, str]:
    """Render the code that loads an export's file into pandas."""
    name = "".join(map(str, name_parts))
    return {"snippet": snippet(kind, name), "id": f"{kind}-{name}".replace(".", "-")}


@register.simple_tag
def selection_max() -> int:
    """Return how many selected episodes one export can contain."""
    return EPISODES_MAX


@register.inclusion_tag("lab/shared/_table_head.html")
def table_head(*titles: str) -> dict[str, Any]:
    """Render a table's header from its columns' titles; the title of a numeric column begins with ``#``."""
    return {
        "columns": [{"title": title.removeprefix("#"), "is_number": title[:1] == "#"} for title in titles]
    }


@register.inclusion_tag("lab/shared/_rate.html")
def rate(value: Rate | None) -> dict[str, Any]:
    """Render a rate with its 95% interval, in numbers and as a dot with whiskers."""
    if value is None:
        return {"rate": None}
    places = {"x": value.value, "low_x": value.low, "high_x": value.high}
    return {
        "rate": value,
        **{name: f"{PLOT_LEFT + PLOT_WIDTH * share:.1f}" for name, share in places.items()},
    }


@register.inclusion_tag("lab/grid/_rate.html")
def rate_line(value: Rate | None) -> dict[str, Any]:
    """Render a rate in one line of a list; its tooltip has the interval's numbers."""
    return rate(value)


@register.inclusion_tag("lab/shared/_outcomes.html")
def outcome_bar(tally: Any) -> dict[str, Any]:
    """Render a bar of 100 units that shows episodes by outcome, or by status if they have none yet."""
    counts = {name: getattr(tally, name) for name in OUTCOMES}
    unit = 100 / (sum(counts.values()) or 1)
    starts = accumulate(counts.values(), initial=0)
    return {
        "parts": [
            {"name": name, "count": count, "x": f"{start * unit:.2f}", "width": f"{count * unit:.2f}"}
            for start, (name, count) in zip(starts, counts.items(), strict=False)
            if count
        ]
    }


@register.inclusion_tag("lab/shared/_live_bar.html", takes_context=True)
def live(context: template.Context, path: str, part: str, latest: str = "") -> dict[str, Any]:
    """Render the bar that shows whether a page receives live updates and lets users pause them.

    ``path`` is the path of the live socket, ``part`` is the id of the element to fetch again on updates, and
    ``latest`` is the address of the newest item, empty if there is none.
    """
    request = context["request"]
    origin = socket_origin(live_url(request))
    return {
        "socket": f"{origin}{path}" if origin else "",
        "part": part,
        "latest": latest,
        "here": request.get_full_path(),
    }
