"""Template tags and filters for numbers, times, labels and untrusted text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.arms import ARMS
from core.reasons import CLOSE_REASONS, END_REASONS
from tasks_app.figures import PLACE
from trajectories.actions.checks import CHECKS
from trajectories.actions.results import NOT_PERFORMED, RESULTS
from trajectories.lab.live_bar import live_bar
from trajectories.lab.queries.fidelity import share_format
from trajectories.lab.queries.step_facts import StepLabel
from trajectories.lab.search.form import EPISODES_MAX
from trajectories.lab.text import action_check as action_checks
from trajectories.lab.text import formulas, long_text
from trajectories.lab.text.actions import Phrase, action_phrase, pretty
from trajectories.lab.text.excerpts import excerpt_html
from trajectories.lab.text.programs import Call
from trajectories.lab.text.questions import content_parts, gold_named, problem_context
from trajectories.lab.text.untrusted import cut, goes_on, visible, visible_html
from trajectories.lab.text.values import Value, fields_of, values_of
from trajectories.reports.statistics import Rate

register = template.Library()
register.filter("gold_named", gold_named)
register.filter("share_format", share_format)
register.filter("excerpt", excerpt_html)

UNITS = ((86_400 * 365, "y"), (86_400 * 30, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))
OUTCOME_TAGS = {"correct": "good", "incorrect": "bad", "void": "warn"}
STATE_TAGS = {"open": "accent", "submitted": "accent", "down": "bad", "missing": "warn", "unknown": "warn"}
# The plot of an interval, in units of its SVG.
PLOT_LEFT = 4
PLOT_WIDTH = 100


@register.filter
def untrusted(value: object) -> SafeString:
    """Text from others: escaped, with tokens masked and invisible characters named."""
    return visible_html("" if value is None else str(value))


@register.filter
def marked(value: object, find: str) -> SafeString:
    """The same, with matches of ``find`` marked."""
    return long_text.marked("" if value is None else str(value), find=find)


@register.filter
def values_asked(gold: str, task: Any) -> list[Value]:
    """The value that a gold expects for each field of its task."""
    return values_of(fields_of(task), given=(), expected=gold)


@register.filter
def plain(value: object) -> str:
    """Untrusted text without markup, for attributes and titles."""
    return visible(str(value))


@register.filter
def has_lines(value: str) -> bool:
    """Whether a text, such as a program or a grid, needs its line breaks."""
    return "\n" in value.strip()


@register.filter
def first_line_to_text(beginning: str) -> str:
    """The first line of a thought, with formulas in plain characters."""
    return formulas.first_line_to_text(beginning, is_cut=goes_on(beginning))


@register.filter
def question_told(beginning: str, limit: int = 160) -> str:
    """The beginning of a question in one line: formulas in plain characters, pictures by name.

    Line breaks become spaces, because the first line may end inside a formula.
    """
    text = formulas.formulas_to_text(figures_named(beginning), chars=limit, is_cut=goes_on(beginning))
    return cut(" ".join(text.split()), limit)


@register.filter
def formula_to_text(tex: str) -> str:
    """A formula without delimiters, in plain characters."""
    return formulas.formula_to_text(tex)


@register.filter
def figures_named(value: str) -> str:
    """The text with the name of each picture in its place, where pictures cannot be shown."""
    return PLACE.sub(r"[Figure \1]", value or "")


@register.filter
def as_json(value: object) -> str:
    return pretty(value)


@register.filter
def one_line_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


@register.filter
def check_label(kind: str, action_type: str = "") -> str:
    return action_checks.check_label(kind, action_type=action_type)


@register.filter
def check_tone(kind: str) -> str:
    return CHECKS[kind].tone if kind in CHECKS else "plain"


@register.inclusion_tag("lab/shared/_action_check.html")
def check_tag(
    step_label: StepLabel, action_type: str, result: str, *, is_whole: bool = False
) -> dict[str, Any]:
    """The outcome of an action check. Lists show only outcomes with a sign; ``is_whole`` shows all."""
    kind = action_checks.shown_kind(step_label.action_check, action_type=action_type)
    check = CHECKS.get(kind)
    is_undone = kind == "no_effect" and result in NOT_PERFORMED
    is_unchecked = kind == "unknown" and step_label.is_provisional
    label = action_checks.check_label(kind, action_type=action_type, result=result)
    return {
        "label": (action_checks.NOT_CHECKED_LABEL if is_unchecked else label)
        if is_whole or (check and check.sign)
        else "",
        "check": check,
        "detail": step_label.detail,
        "is_whole": is_whole,
        "is_so_far": step_label.is_provisional and not is_undone and not is_unchecked,
    }


@register.filter
def phrase(action: object, target: str = "") -> Phrase:
    """An action as a phrase; ``target`` describes its element."""
    return action_phrase(action, target=target)


@register.filter
def percent(share: float) -> str:
    return f"{share * 100:.1f}%" if 0.0005 < share < 0.9995 else f"{share * 100:.0f}%"


@register.filter
def count(number: int) -> str:
    """A count with thousands separators."""
    return f"{number:,}"


@register.filter
def milliseconds(value: float | None) -> str:
    """A duration in milliseconds, in the most readable unit."""
    if value is None:
        return "–"
    if value < 1_000:
        return f"{value:.0f} ms"
    if value < 60_000:
        return f"{value / 1_000:.1f} s"
    minutes, seconds = divmod(round(value / 1_000), 60)
    return f"{minutes} min {seconds} s"


@register.simple_tag
def when(moment: datetime | None, now: datetime | None = None) -> SafeString | str:
    """How long ago, with the exact time (UTC) on hover and in ``datetime``."""
    if moment is None:
        return "–"
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
def tag_of(value: str) -> SafeString:
    """An outcome, status or action result as a coloured tag with its word."""
    result = RESULTS.get(value)
    tone = OUTCOME_TAGS.get(value) or (result and result.tone) or STATE_TAGS.get(value) or "plain"
    return format_html('<span class="tag tag-{}">{}</span>', tone, value)


@register.simple_tag
def arm_tag(code: str) -> SafeString:
    """The label of an arm, with code and description on hover."""
    arm = ARMS.get(code)
    title = f"{code}: {arm.description}" if arm else code
    return format_html('<span class="tag tag-accent" title="{}">{}</span>', title, arm.label if arm else code)


@register.simple_tag
def reason_of(code: str) -> SafeString:
    """The label of an end or close reason, with code and description on hover."""
    reason = END_REASONS.get(code) or CLOSE_REASONS.get(code)
    title = f"{code}: {reason.description}" if reason else visible(code)
    return format_html('<span title="{}">{}</span>', title, reason.label if reason else visible(code))


@register.simple_tag
def selection_max() -> int:
    """How many selected episodes can be exported at once."""
    return EPISODES_MAX


@register.inclusion_tag("lab/shared/_rate.html")
def rate(value: Rate | None) -> dict[str, Any]:
    """A share with its 95% interval, in numbers and as a dot with whiskers."""
    if value is None:
        return {"rate": None}
    places = {"x": value.value, "low_x": value.low, "high_x": value.high}
    return {
        "rate": value,
        **{name: f"{PLOT_LEFT + PLOT_WIDTH * share:.1f}" for name, share in places.items()},
    }


@register.inclusion_tag("lab/shared/_outcomes.html")
def outcome_bar(tally: Any) -> dict[str, Any]:
    """Episodes by outcome, or by status before they have one, as a bar of 100 units."""
    counts = [
        ("correct", tally.correct),
        ("incorrect", tally.incorrect),
        ("void", tally.void),
        ("submitted", tally.submitted),
        ("open", tally.open),
    ]
    total = sum(count for _, count in counts) or 1
    parts, place = [], 0.0
    for name, count in counts:
        width = count / total * 100
        if count:
            parts.append({"name": name, "count": count, "x": f"{place:.2f}", "width": f"{width:.2f}"})
        place += width
    return {"parts": parts}


@register.inclusion_tag("lab/shared/_question.html")
def problem(task: Any, variation: Any = None) -> dict[str, Any]:
    """A task's question."""
    return problem_context(task, variation)


@register.inclusion_tag("lab/shared/_live_bar.html", takes_context=True)
def live(context: template.Context, path: str, part: str, latest: str = "") -> dict[str, Any]:
    """The bar that shows whether a page receives live updates and lets users pause them."""
    return live_bar(context["request"], path=path, part=part, latest=latest)


@register.filter
def of_step(calls: Sequence[Call], index: int) -> list[Call]:
    return [call for call in calls if call.step == index]


@register.filter
def parts(content: object) -> list[dict[str, str]]:
    """The texts and pictures of a message."""
    return content_parts(content)


@register.simple_tag(takes_context=True)
def query_with(context: template.Context, **changes: object) -> str:
    """The query string of the page with some parameters changed; None removes one."""
    parameters = context["request"].GET.dict()
    parameters.update({name: value for name, value in changes.items() if value is not None})
    query = {
        name: value
        for name, value in parameters.items()
        if value not in ("", None) and changes.get(name, value) is not None
    }
    return "?" + urlencode(query)
