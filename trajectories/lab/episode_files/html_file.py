"""An episode as one self-contained HTML file with embedded styles and pictures and without scripts.

The file states what was left out to limit its size. It is generated part by part in constant memory.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe

from core.text.latex import Block
from core.web.assets import static_file
from tasks_app.prose import Piece, Prose
from tasks_app.questions import question_text, questions
from tasks_app.variation import Variation
from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.models import Episode, Step
from trajectories.shell.queries import episodes, steps
from trajectories.shell.queries.step_facts import StepLabel, step_labels
from trajectories.shell.screenshots.marks import StepMarks, step_draw, step_marks
from trajectories.shell.text import evidence
from trajectories.shell.text.questions import map_sources, name_answer, problem_context
from trajectories.shell.text.values import fields_of

# Limit for all texts of a question together, and for its whole table.
TABLE_MAX_CHARS = 200_000
# Characters of markup around a cell, a picture's name, a text or a formula, which even short ones need.
MARKUP_CHARS = 20
ROW_MARKUP_CHARS = 50
CHOICE_MARKUP_CHARS = 200
# These limits keep a request to some seconds: a large picture takes up to 0.1 s, a thumbnail or a step a few
# milliseconds.
STEPS_MAX = 1_000
PICTURES_MAX = 300
# The first pictures are large enough to read; the others are thumbnails.
LARGE_PICTURES_MAX = 40
PICTURES_MAX_BYTES = 24 * 1024 * 1024
PICTURE_SIZE = (1280, 1280)
PICTURE_QUALITY = 72
# Limits for all texts together, and for a single text.
TEXT_MAX_CHARS = 20_000_000
ONE_TEXT_MAX_CHARS = 60_000
FETCHED_STEPS = 20
SHEETS = ("base.css", "lab/tokens.css", "lab/export.css")


def question_context(task: Any, variation: Variation | None) -> dict[str, Any]:
    """Return the context of ``lab/episode_files/_question.html``.

    ``words`` is the question as plain text, for a question that is too long or whose kind no longer exists.
    ``tex`` is the LaTeX source of the question's texts if they contain formulas.
    """
    sources = map_sources(task, variation)
    if task.kind in questions:
        context = problem_context(task, variation)
        prose = context["prose"]
        if _chars(context) <= ONE_TEXT_MAX_CHARS:
            tex = _source(prose) if prose.has_formulas else ""
            return {**context, "table": _table(context["table"]), "sources": sources, "words": "", "tex": tex}
    words = question_text(kind=task.kind, prompt=task.prompt, payload=task.payload, variation=variation)
    return {
        "sources": sources,
        "words": words[:ONE_TEXT_MAX_CHARS],
        "is_cut": len(words) > ONE_TEXT_MAX_CHARS,
    }


def _chars(context: Mapping[str, Any]) -> int:
    prose: Prose = context["prose"]
    return (
        sum(map(_piece_chars, prose.pieces))
        + sum(len(choice.label) + CHOICE_MARKUP_CHARS for choice in prose.choices)
        + len(str(context["signature"]))
        + len(context["asserts"])
    )


def _piece_chars(piece: Piece) -> int:
    if not isinstance(piece, Block):
        return len(piece.figure.alternative) + MARKUP_CHARS
    return sum(len(segment.raw) + MARKUP_CHARS for segment in piece.segments)


def _source(prose: Prose) -> str:
    choices = (f"{choice.label}. {_raw(choice.pieces)}" for choice in prose.choices)
    return "\n\n".join(filter(None, (_raw(prose.passage), _raw(prose.question), *choices)))


def _raw(pieces: Sequence[Piece]) -> str:
    return "\n\n".join(
        "".join(segment.raw for segment in piece.segments)
        if isinstance(piece, Block)
        else f"[{piece.figure.alternative}]"
        for piece in pieces
    )


def _table(table: Any) -> dict[str, Any] | None:
    """Return a table's header and as many rows as fit; ``rows_out`` counts the rows left out.

    ``is_out`` is true if the whole table is left out because even its header does not fit.
    """
    if not table:
        return None
    room, rows = TABLE_MAX_CHARS - _row_chars(table["header"]), []
    is_out = room < 0
    for row in table["rows"]:
        room -= _row_chars(row)
        if room < 0:
            break
        rows.append(row)
    return {
        "header": table["header"],
        "rows": rows,
        "rows_out": len(table["rows"]) - len(rows),
        "is_out": is_out,
    }


def _row_chars(row: Sequence[object]) -> int:
    return ROW_MARKUP_CHARS + sum(len(str(cell)) + MARKUP_CHARS for cell in row)


@dataclass(kw_only=True)
class Room:
    """The space that is left in the file, and counts of what was left out."""

    pictures: int = PICTURES_MAX
    large_pictures: int = LARGE_PICTURES_MAX
    picture_bytes: int = PICTURES_MAX_BYTES
    chars: int = TEXT_MAX_CHARS
    steps_out: int = 0
    pictures_out: int = 0
    thumbnails: int = 0
    chars_out: int = 0

    def text(self, value: str) -> str:
        """Return as much of a text as fits, with a note about what was left out."""
        start = value[: max(0, min(ONE_TEXT_MAX_CHARS, self.chars))]
        left_out = len(value) - len(start)
        self.chars -= len(start)
        self.chars_out += left_out
        return f"{start}\n[{left_out:,} characters left out]" if left_out else start


@dataclass(frozen=True, kw_only=True)
class ExportedStep:
    """A step in the file. ``same_as`` is the number of an earlier step with the same picture and overlay."""

    step: Step
    label: StepLabel
    thought: str
    raw: str
    observation: str
    picture: str
    same_as: int | None
    is_picture_out: bool


def policy() -> str:
    """Return the file's Content Security Policy, which allows only its style sheet (by hash) and pictures."""
    digest = base64.b64encode(hashlib.sha256(_styles().encode()).digest()).decode()
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def episode_html(episode: Episode, *, golds: bool) -> Iterator[bytes]:
    """Yield the file part by part; it includes the gold if ``golds`` is true."""
    room = Room()
    opening = {"policy": policy(), "styles": mark_safe(f"<style>{_styles()}</style>")}  # noqa: S308 (files of this project)
    yield render_to_string("lab/episode_files/_head.html", _head(episode, golds=golds) | opening).encode(
        "utf-8", "replace"
    )
    for exported in _steps(episode, room):
        yield render_to_string(
            "lab/episode_files/_step.html", {"exported": exported, "mismatches": MISMATCHES}
        ).encode("utf-8", "replace")
    foot = {"room": room, "made_at": timezone.now(), "steps_max": STEPS_MAX, "large_max": LARGE_PICTURES_MAX}
    yield render_to_string("lab/episode_files/_foot.html", foot).encode()
    yield b"</main></body></html>\n"


@cache
def _styles() -> str:
    return "".join(static_file(f"css/{name}").read_text(encoding="utf-8") for name in SHEETS)


def _head(episode: Episode, *, golds: bool) -> dict[str, object]:
    judgement = episodes.episode_judgement(episode)
    task = episode.task
    fields = fields_of(task)
    answer = episodes.episode_answer(episode)
    question = question_context(task, episode.variation)
    return {
        "episode": episode,
        "run": episode.run,
        "task": task,
        "question": question,
        "verdict": judgement.current,
        "readings": evidence.readings_of(judgement.evidence, golds=golds, fields=fields),
        "comparison": evidence.comparison_of(judgement.evidence, golds=golds),
        "answers": [name_answer(part, question["sources"]) for part in answer.submission.answers]
        if answer
        else [],
        "values": answer.values if answer else [],
        "steps": steps.step_counts([episode.pk]).get(episode.pk, 0),
        "gold": episodes.gold_current(task_id=episode.task_id) if golds else None,
    }


def _steps(episode: Episode, room: Room) -> Iterator[ExportedStep]:
    before: tuple[str, StepMarks, int] | None = None
    rows = Step.objects.filter(episode_id=episode.pk).order_by("index")
    numbers = list(rows.values_list("index", flat=True))
    room.steps_out = max(0, len(numbers) - STEPS_MAX)
    labels = step_labels(episode_id=episode.pk, indexes=numbers[:STEPS_MAX])
    for step in _in_batches(rows, numbers[:STEPS_MAX]):
        marks = step_marks(step) if step.screenshot and room.pictures > 0 else None
        is_same = bool(marks and before and before[:2] == (step.screenshot, marks))
        picture = _picture(step, marks, room) if marks and not is_same else ""
        if marks and picture:
            before = (step.screenshot, marks, step.index)
        is_out = bool(step.screenshot) and not picture and not is_same
        room.pictures_out += is_out
        yield ExportedStep(
            step=step,
            label=_label(step, labels.get(step.index, StepLabel())),
            thought=room.text(step.thought),
            raw=room.text(step.raw) if step.raw.strip() != step.thought.strip() else "",
            observation=room.text(step.observation_text),
            picture=picture,
            same_as=before[2] if before and is_same else None,
            is_picture_out=is_out,
        )


def _in_batches(rows: QuerySet[Step], numbers: Sequence[int]) -> Iterator[Step]:
    """Yield the steps with these numbers in batches, so that no query stays open while they are used."""
    for first in range(0, len(numbers), FETCHED_STEPS):
        yield from list(rows.filter(index__in=numbers[first : first + FETCHED_STEPS]))


def _label(step: Step, label: StepLabel) -> StepLabel:
    """Return the label, its element described from the full observation if the facts do not describe it."""
    return replace(label, target=target_description(step.action, observation=step.observation_text))


def _picture(step: Step, marks: StepMarks, room: Room) -> str:
    """Return a step's picture as a data URI; empty if the screenshot cannot be read or does not fit."""
    is_small = room.large_pictures <= 0
    drawn = step_draw(step, marks, is_small=is_small)
    if drawn is None:
        return ""
    drawn.thumbnail(PICTURE_SIZE)
    data = io.BytesIO()
    drawn.save(data, "WEBP", quality=PICTURE_QUALITY, method=0)
    encoded = base64.b64encode(data.getvalue()).decode()
    if len(encoded) > room.picture_bytes:
        room.pictures = 0  # no more pictures are drawn, since they would not fit either
        return ""
    room.pictures -= 1
    room.large_pictures -= 1
    room.thumbnails += is_small
    room.picture_bytes -= len(encoded)
    return f"data:image/webp;base64,{encoded}"
