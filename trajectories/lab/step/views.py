from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from core.tokens import mask_tokens
from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.dom_replay import scenes
from trajectories.lab import updates
from trajectories.lab.access import LabRequest, lab_page, wants_fragment
from trajectories.lab.queries import episodes, interim_facts, step_matches, step_outline, steps
from trajectories.lab.queries import programs as calls
from trajectories.lab.queries.fidelity import step_fidelity
from trajectories.lab.queries.step_labels import Told
from trajectories.lab.step import diffs, overlay, picture_diff
from trajectories.lab.step.outcome import ending_told
from trajectories.lab.step.panels import Panel, panel_opened, panels_of
from trajectories.lab.step.usage import figures_of
from trajectories.lab.text.actions import action_phrase, element_more, pretty
from trajectories.lab.text.fidelity import Said, fidelity_said
from trajectories.lab.text.formulas import first_line_to_text
from trajectories.lab.text.long_text import Shown, shown
from trajectories.lab.text.untrusted import BEGINNING_CHARS, goes_on
from trajectories.models import Episode, Step, StepFacts
from trajectories.prompts.templates import Template

FRAGMENT = "fragment"
# The number that led to the step next to it.
ASKED = "asked"
# What a page holds of a step before the one that is shown, to say what changed.
COMPARED = ("thought", "observation_text", "screenshot", "url")
URL_CHARS = 4_000
TEXTS = {"thought": "thought", "raw": "raw", "observation": "observation_text"}


@lab_page
def step_detail(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """One step: the page, or with ``?fragment`` what changes of it from step to step."""
    if FRAGMENT in request.GET:
        return _fragment(request, steps.step_alone(episode_id=episode_id, index=index))
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    find = step_matches.find_asked(request.GET.get("find"))
    context = {"episode": episode, "run": episode.run, "find": find, **_step(episode, step, find=find)}
    context["instead"] = _instead(_number(request.GET.get(ASKED, "")), step)
    return render(request, "lab/step/step.html", {**context, **_around(episode, step, find=find)})


@lab_page
def step_slashed(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The address of a step as other pages' end."""
    return redirect(reverse("step", args=[episode_id, index], query=request.GET))


@lab_page
def step_go(request: LabRequest, episode_id: int) -> HttpResponse:
    """To the step with the number ``?index``, or the nearest one that was recorded.

    Of another number than the one asked for it is said. With ``?fragment`` that step's part comes at once: a
    redirect takes as long again.
    """
    wanted = _number(request.GET.get("index", ""))
    found = steps.step_nearest(episode_id=episode_id, index=wanted or 1)
    if FRAGMENT in request.GET:
        return _fragment(request, found, asked=wanted)
    kept = request.GET.copy()
    kept.pop("index", None)
    if wanted not in (None, found.index):
        kept[ASKED] = str(wanted)
    address = reverse("step", args=[episode_id, found.index])
    return redirect(f"{address}?{kept.urlencode()}" if kept else address)


@lab_page
def step_changes(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """What differs from the step before: thought, tree, picture."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    number = steps.step_before(episode_id=episode.pk, index=index)
    before = None
    if number is not None:
        before = Step.objects.only(*COMPARED).get(episode_id=episode.pk, index=number)
    context: dict[str, Any] = {"episode": episode, "run": episode.run, "step": step, "before": before}
    if before is not None:
        context |= {
            "thought": diffs.words_compared(before.thought, step.thought),
            "thoughts": [(before.index, shown(before.thought)), (step.index, shown(step.thought))],
            "tree": diffs.lines_compared(before.observation_text, step.observation_text),
            "pictures": picture_diff.pictures_compared(before.screenshot, step.screenshot),
        }
    fragment = wants_fragment(request) or FRAGMENT in request.GET
    return render(request, "lab/step/_changes.html" if fragment else "lab/step/changes.html", context)


@lab_page
def step_text(request: LabRequest, episode_id: int, index: int, name: str) -> HttpResponse:
    """One whole text of a step as plain text, which a page shows the beginning of."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    text = mask_tokens(getattr(step, TEXTS[name]))
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= step_outline.INDEX_DIGITS else None


def _instead(asked: int | None, step: Step) -> str:
    """Why this step is shown and not the one that was asked for; empty where it is that one."""
    if asked is None or asked == step.index:
        return ""
    if steps.step_nearest(episode_id=step.episode_id, index=asked).pk != step.pk:
        return ""  # Of an address that somebody made.
    if asked > step.index:
        return f"There is no step {asked}: {step.index} is the last one."
    return f"Step {asked} was never recorded: {step.index} is the next one."


def _fragment(request: LabRequest, step: Step, *, asked: int | None = None) -> HttpResponse:
    find = step_matches.find_asked(request.GET.get("find"))
    context = {"episode": step.episode, "find": find, **_step(step.episode, step, find=find)}
    return render(request, "lab/step/_step.html", {**context, "instead": _instead(asked, step)})


def _step(episode: Episode, step: Step, *, find: str) -> dict[str, Any]:
    blobs = steps.blobs_known([step.screenshot, step.observation_sha256])
    events = steps.step_events(episode_id=episode.pk, index=step.index)
    programs = calls.calls_of(episode, step=step.index)
    screenshot = blobs.get(step.screenshot)
    picture = overlay.overlay_of(step, seen=None if events.is_cut else events.page) if screenshot else None
    kept = steps.step_facts(episode_id=episode.pk, index=step.index)
    facts = kept or _facts_so_far(episode, step)
    before, after = steps.steps_beside(episode_id=episode.pk, index=step.index)
    texts = _texts(step, find=find)
    told = _told(step, facts, is_so_far=kept is None)
    has_page = episode.has_page
    context = {
        **texts,
        "step": step,
        "before": before,
        "after": after,
        "told": told,
        "element": element_more(step.action, in_observation=step.observation_text),
        "is_found_in_sight": any("<mark>" in texts[name].html for name in ("thought", "url"))
        or action_phrase(step.action, target=told.target).holds(find),
        "figures": figures_of(step, has_page=has_page),
        "facts": facts,
        "is_so_far": kept is None,
        "replayed": _replayed(episode, step),
        "mismatches": MISMATCHES,
        "page_events": replace(events, site=[]),
        "site_events": replace(events, page=[]),
        "calls": programs,
        "screenshot": screenshot,
        "picture": picture,
        "lack": overlay.lack_of(step, is_stored=screenshot is not None, is_readable=picture is not None),
        "observation_blob": blobs.get(step.observation_sha256),
        "says": first_line_to_text(step.thought[:BEGINNING_CHARS], 120, is_cut=goes_on(step.thought)),
    }
    counts = {"page": len(events.page), "server": len(events.site), "programs": len(programs)}
    panels = panels_of(
        episode,
        step,
        counts=counts,
        found={"tree": texts["tree"].found, "json": texts["raw"].found + texts["action_json"].found},
        is_measured=facts is not None,
        is_recorded=scenes.has_recording(episode),
    )
    return {
        **context,
        "panels": panels,
        "opened": _opened(episode, step, panels, has_figures=bool(context["figures"])),
        "is_words_only": _is_words_only(episode, step),
        "has_page": has_page,
        "ending": None if after else ending_told(episode),
    }


def _is_words_only(episode: Episode, step: Step) -> bool:
    """Whether there is nothing to be seen beside the thought, so that it has the whole width."""
    if step.screenshot:
        return False
    return not episode.has_page or not (step.observation_text or step.observation_sha256)


def _opened(episode: Episode, step: Step, panels: list[Panel], *, has_figures: bool) -> str:
    has_tree = bool(step.observation_text or step.observation_sha256)
    if not has_tree and not episode.has_page and _has_prompt(episode):
        return "prompt"  # What such an arm saw stands nowhere else.
    holds = {"tree": has_tree, "usage": has_figures, "json": bool(step.raw or step.action)}
    return panel_opened(panels, holds=holds)


def _has_prompt(episode: Episode) -> bool:
    return Template(episode.group.template).is_known


def _texts(step: Step, *, find: str) -> dict[str, Shown]:
    return {
        "thought": shown(step.thought, find=find),
        "url": shown(mask_tokens(step.url)[:URL_CHARS], find=find),
        "tree": shown(step.observation_text, find=find),
        "raw": shown(step.raw, find=find),
        "action_json": shown(pretty(step.action) if step.action else "", find=find),
        "more_json": shown(pretty(step.more) if step.more else ""),
    }


def _told(step: Step, facts: StepFacts | None, *, is_so_far: bool) -> Told:
    target = target_description(step.action, observation=step.observation_text)
    if facts is None:
        return Told(target=target)
    return Told(
        target=target, action_check=facts.action_check, detail=facts.action_check_detail, is_so_far=is_so_far
    )


def _facts_so_far(episode: Episode, step: Step) -> StepFacts | None:
    found = interim_facts.facts_so_far(episode_id=episode.pk, first=step.index, last=step.index)
    return found.get(step.index)


def _replayed(episode: Episode, step: Step) -> Said | None:
    """What was found of its DOM replay; None where nobody has looked."""
    if episode.recording != Episode.Recording.FULL:
        return None
    found = step_fidelity(episode_id=episode.pk, index=step.index)
    return fidelity_said(found, has_ended=episode.finished_at is not None) if found else None


def _around(episode: Episode, step: Step, *, find: str) -> dict[str, Any]:
    """What stays while steps go by."""
    news = updates.news_of(episode)
    found = step_matches.steps_matching(episode_id=episode.pk, find=find)
    return {
        "here": "search",
        "task": episode.task,
        "strip": steps.strip_around(
            episode_id=episode.pk, index=step.index, gaps=news["gaps"], last=news["last"]
        ),
        "found": found,
        "found_before": found.before(step.index),
        "found_after": found.after(step.index),
        "found_place": found.place_of(step.index),
        "found_said": found.said_of(step.index),
        **news,
    }
