"""Contents of an episode's page."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from core.episodes.presentation import look_read
from core.errors import GymError
from palaestra.protocol.arms import ARMS
from tasks_app.models import Gold
from trajectories.behaviour.dom_replay import document
from trajectories.lab.bookmarks.selectors import Marks, marks_of
from trajectories.lab.episode.recording import ActionPage, PageRecording
from trajectories.models import Episode, PageEventTally, Pruning
from trajectories.record.capture import chunks
from trajectories.record.capture.chunks import RecordedPage
from trajectories.record.prompts import conversation
from trajectories.record.prompts.conversation import Message
from trajectories.record.prompts.interface import setup_of
from trajectories.rollouts.episodes.drafts import limit_steps
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.shell.access import LabRequest, lab_page, page_render, part_render, sees_golds
from trajectories.shell.forms import StepsForm
from trajectories.shell.queries import episodes, programs, replays, steps
from trajectories.shell.queries.fidelity import EpisodeFidelity, episode_fidelity
from trajectories.shell.queries.lineage import Lineage, read_lineage
from trajectories.shell.queries.step_matches import find_query
from trajectories.shell.queries.steps import StepEvents, StepList
from trajectories.shell.queries.timeline import Timeline, timeline_around
from trajectories.shell.text import diffs, evidence
from trajectories.shell.text.evidence import Comparison, Reading
from trajectories.shell.text.questions import map_sources, name_answer
from trajectories.shell.text.thoughts import Ribbon
from trajectories.shell.text.values import fields_of
from trajectories.shell.updates import Updates

logger = logging.getLogger(__name__)

SHOWN_CHARS = 100_000
# A step's page takes this parameter from its address; an episode's page passes it on to the links to steps.
FIND = "find"


def shorten_prompt(episode: Episode, *, golds: bool) -> list[conversation.Message]:
    """Return an episode's opening messages, cut to a length that a page can show.

    Cutting is necessary because a whole mock site has millions of characters. The list is empty if the site
    was generated with a salt that this installation does not have.
    """
    try:
        messages = opening_messages(episode, with_solutions=golds, with_guidance=golds)
    except GymError as error:
        logger.warning("The prompt of episode %s cannot be rebuilt: %s", episode.pk, error.message)
        return []
    return [{**message, "content": _cut(message["content"])} for message in messages]


def _cut(content: Any) -> Any:
    if not isinstance(content, str) or len(content) <= SHOWN_CHARS:
        return content
    half = SHOWN_CHARS // 2
    return f"{content[:half]}\n\n[{len(content) - 2 * half:,} characters left out]\n\n{content[-half:]}"


@dataclass(frozen=True, kw_only=True)
class EpisodePage:
    """An episode's page; its parts are read from the database when they are first used.

    ``updates`` is read before everything else, so that anything that arrives in the meantime counts as a
    newer version. ``query`` selects the steps that are listed.
    """

    episode: Episode
    updates: Updates
    query: QueryDict
    sees_golds: bool

    # ---- steps

    @cached_property
    def _form(self) -> StepsForm:
        return StepsForm(self.query, last=self.updates.last)

    @property
    def errors(self) -> list[str]:
        """Messages about invalid parameters of the query."""
        return self._form.error_messages()

    @property
    def _is_tail(self) -> bool:
        return self._form.filters().get("tail") == "1"

    @cached_property
    def first(self) -> int:
        """Number of the first step in the list."""
        if self._is_tail:
            return steps.tail_first(episode_id=self.episode.pk)
        first: int = self._form.filters().get("first", 1)
        return first

    @cached_property
    def steps(self) -> StepList:
        return steps.step_list(episode_id=self.episode.pk, first=self.first)

    @cached_property
    def ribbon(self) -> Ribbon:
        """The ribbon that shows the sentence classes of the listed steps' thoughts."""
        steps = [item for item in self.steps.items if isinstance(item, Mapping)]
        return Ribbon.of((step["index"], step["label"].sentences) for step in steps)

    @cached_property
    def by_page(self) -> PageRecording | None:
        """The recording by the pages themselves, for an episode without posted steps; otherwise None."""
        if self.updates.last or not self.event_tally:
            return None
        recording = PageRecording(episode=self.episode)
        return recording if recording.actions else None

    @property
    def find(self) -> str:
        return find_query(self.query.get(FIND))

    @property
    def find_parameter(self) -> str:
        return f"&{urlencode({FIND: self.find})}" if self.find else ""

    @property
    def place(self) -> str:
        """The query string that lists the same steps again."""
        return ("tail=1" if self._is_tail else f"first={self.first}") + self.find_parameter

    @property
    def latest(self) -> str:
        """The address of the end of the list of steps."""
        return f"?tail=1{self.find_parameter}#latest" if self.steps.next_from else "#latest"

    @cached_property
    def timeline(self) -> Timeline:
        """The timeline around the episode's first step."""
        if not self.updates.start:
            return Timeline(items=[])
        return timeline_around(
            episode_id=self.episode.pk,
            index=self.updates.start,
            missing=self.updates.missing,
            last=self.updates.last,
        )

    @cached_property
    def calls(self) -> list[programs.Call]:
        return programs.tool_calls(self.episode)

    @cached_property
    def events_of_no_step(self) -> StepEvents:
        return steps.step_events(episode_id=self.episode.pk, index=None)

    @cached_property
    def pruning(self) -> Pruning | None:
        return replays.read_pruning(self.episode.pk)

    # ---- answer and verdict

    @cached_property
    def answer(self) -> episodes.Answer | None:
        return episodes.episode_answer(self.episode)

    @property
    def answers(self) -> list[str]:
        """The parts of the answer; if choices were reordered, each label is followed by the original one."""
        parts = self.answer.submission.answers if self.answer else []
        return [name_answer(part, self.sources) for part in parts]

    @cached_property
    def first_answers(self) -> list[str]:
        """The parts of the answer that was given before the check; empty if no check was requested."""
        first = episodes.first_answer(self.episode)
        return [name_answer(part, self.sources) for part in first.answers] if first else []

    @property
    def first_is_correct(self) -> bool | None:
        """True if the first answer was correct; None unless it was judged in addition to a second one."""
        verdict = self.judgement.current
        value = verdict.metrics.get("first_answer_correct") if verdict else None
        return None if value is None else bool(value)

    @cached_property
    def sources(self) -> dict[str, str]:
        return map_sources(self.episode.task, self.episode.variation)

    @cached_property
    def judgement(self) -> episodes.Judgement:
        return episodes.episode_judgement(self.episode)

    @cached_property
    def readings(self) -> list[Reading]:
        # A reading probe copies out what its page shows, so its gold is not secret.
        golds = self.sees_golds or self.is_probe
        fields = () if self.is_probe else fields_of(self.episode.task)
        return evidence.readings_of(self.judgement.evidence, golds=golds, fields=fields)

    @property
    def is_probe(self) -> bool:
        return ARMS[self.episode.arm].is_probe

    @cached_property
    def comparison(self) -> Comparison | None:
        return evidence.comparison_of(self.judgement.evidence, golds=self.sees_golds)

    @property
    def lacks_comparison(self) -> bool:
        return evidence.lacks_comparison(self.episode.task, self.judgement.current, self.judgement.evidence)

    @property
    def evidence(self) -> dict[str, Any]:
        return self.judgement.evidence if self.sees_golds else {}

    @cached_property
    def copy_diff(self) -> diffs.Diff | None:
        """Differences between the question and the copy of it; None if nothing was copied."""
        if not (self.is_probe and self.readings):
            return None
        (copy,) = self.readings
        return diffs.words_diff(copy.gold or "", copy.answer)

    @cached_property
    def gold(self) -> Gold | None:
        return episodes.gold_current(task_id=self.episode.task_id) if self.sees_golds else None

    # ---- about the episode

    @cached_property
    def prompt(self) -> list[Message]:
        return shorten_prompt(self.episode, golds=self.sees_golds)

    @property
    def budget_reason(self) -> str:
        return budget_reason(self.episode)

    @cached_property
    def loads(self) -> list[RecordedPage]:
        return chunks.list_loads(self.episode)

    @cached_property
    def event_tally(self) -> PageEventTally | None:
        return PageEventTally.objects.filter(episode=self.episode).first()

    @cached_property
    def fidelity(self) -> EpisodeFidelity | None:
        return episode_fidelity(episode_id=self.episode.pk)

    @cached_property
    def lineage(self) -> Lineage | None:
        return read_lineage(self.episode)

    @cached_property
    def group(self) -> Sequence[Episode]:
        return episodes.group_members(self.episode)


def budget_reason(episode: Episode) -> str:
    """Return the reason why an episode's step budget differs from its task's; empty if it does not."""
    task = episode.task
    if episode.max_steps == task.max_steps:
        return ""
    usual = _usual(episode)
    if usual is None:
        return f"differs from its task's {task.max_steps}"
    if episode.max_steps != usual:
        return f"set when opened; the task has {task.max_steps}"
    if not ARMS[episode.arm].has_page:
        return f"no page; with one the task has {task.max_steps}"
    return f"{task.max_steps} for the task, the rest for its look and set-up"


def _usual(episode: Episode) -> int | None:
    """Return the step budget that an episode with this set-up normally has; None if unknown.

    It is unknown for an old episode whose look, kind or payload no longer exists in this version.
    """
    try:
        setup = setup_of(episode.run, arm=episode.arm, channel=episode.answer_channel)
        return limit_steps(
            episode.task,
            setup=setup,
            look=look_read(episode.presentation),
            is_checked=episode.answer_check != Episode.AnswerCheck.NONE,
        )
    except (GymError, LookupError, TypeError, ValueError, AttributeError):
        return None


@lab_page
def episode_detail(request: LabRequest, episode_id: int) -> HttpResponse:
    marks = marks_of(request.user, episode_id=episode_id, step=0)
    return _render(request, "lab/episode/episode.html", episodes.episode_get(episode_id), marks=marks)


@lab_page
def episode_progress(request: LabRequest, episode_id: int) -> HttpResponse:
    """Show the part of the page that changes while an episode runs; 204 if the reader has ``seen`` it."""
    if request.GET.get("seen") == Updates(episodes.episode_live(episode_id)).version:
        return HttpResponse(status=204)
    episode = episodes.episode_get(episode_id)
    return _render(request, "lab/episode/_progress.html", episode, is_news=True)


@lab_page
def episode_prompt(request: LabRequest, episode_id: int) -> HttpResponse:
    """Show the prompt as a page, or with ``?fragment`` as a panel of a step's page."""
    episode = episodes.episode_get(episode_id)
    messages = shorten_prompt(episode, golds=sees_golds(request.user))
    context = {"here": "search", "episode": episode, "run": episode.run, "messages": messages}
    return part_render(
        request, "episode/prompt", context, heading=f"Prompt of episode {episode_id}", crumb="prompt"
    )


@lab_page
def page_action(request: LabRequest, episode_id: int, number: int) -> HttpResponse:
    """Show one action that an episode's pages recorded, and the page as it was before the action."""
    episode = episodes.episode_get(episode_id)
    page = ActionPage(recording=PageRecording(episode=episode), number=number)
    context = {"here": "search", "episode": episode, "run": episode.run, "page": page, "action": page.action}
    return page_render(request, "episode/page_action", context)


@lab_page
def page_action_dom(request: LabRequest, episode_id: int, number: int) -> HttpResponse:
    """Show a read-only replay of the page before the action, rebuilt from its recording."""
    episode = episodes.episode_get(episode_id)
    scene = ActionPage(recording=PageRecording(episode=episode), number=number).replay.scene
    if scene is None:
        raise Http404(f"Page action {number} of episode {episode_id} cannot be replayed from a recording.")
    html, policy = document.document_in_the_lab(scene)
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


def _render(
    request: LabRequest, template: str, episode: Episode, *, is_news: bool = False, marks: Marks | None = None
) -> HttpResponse:
    page = EpisodePage(
        episode=episode, updates=Updates(episode), query=request.GET, sees_golds=sees_golds(request.user)
    )
    context = {
        "here": "search",
        "page": page,
        "updates": page.updates,
        "episode": episode,
        "run": episode.run,
        "task": episode.task,
        "is_news": is_news,
        "marks": marks,
    }
    return render(request, template, context)
