from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from gymsite.core.tokens import mask_tokens
from trajectories.models import Episode, Step, StepFacts
from trajectories.replay import diffing, following, overlay, pictures_compared
from trajectories.replay.access import LabRequest, lab_page, wants_fragment
from trajectories.replay.actions import element_more, pretty
from trajectories.replay.dom import scenes
from trajectories.replay.fidelity_said import Said, fidelity_said
from trajectories.replay.figures import figures_of
from trajectories.replay.panels import panels_of
from trajectories.replay.selectors import calls, episodes, steps, steps_find, steps_outline, steps_so_far
from trajectories.replay.selectors.fidelity import step_fidelity
from trajectories.replay.selectors.steps_told import Told
from trajectories.replay.shown import shown
from trajectories.replay.text import first_line
from trajectories.summaries.elements import target_told

FRAGMENT = "fragment"
# What a page holds of a step before the one that is shown, to say what changed.
COMPARED = ("thought", "observation_text", "screenshot", "url")
TEXTS = {"thought": "thought", "raw": "raw", "observation": "observation_text"}


@lab_page
def step_detail(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """One step: the page, or with ``?fragment`` what changes of it from step to step."""
    if FRAGMENT in request.GET:
        return _fragment(request, episodes.episode_alone(episode_id), index=index)
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    find = steps_find.find_asked(request.GET.get("find"))
    context = {"episode": episode, "run": episode.run, "find": find, **_step(episode, step, find=find)}
    return render(request, "lab/step.html", {**context, **_around(episode, step, find=find)})


@lab_page
def step_slashed(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """The address of a step as other pages' end."""
    return redirect(reverse("step", args=[episode_id, index], query=request.GET))


@lab_page
def step_go(request: LabRequest, episode_id: int) -> HttpResponse:
    """To the step with the number ``?index``, or the nearest one that was recorded.

    With ``?fragment`` that step's part comes at once: a redirect takes as long again.
    """
    episode = episodes.episode_alone(episode_id)
    asked = request.GET.get("index", "")
    wanted = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    found = steps.step_nearest(episode_id=episode.pk, index=wanted)
    if found is None:
        raise Http404(f"Episode {episode.pk} has no step.")
    if FRAGMENT in request.GET:
        return _fragment(request, episode, index=found)
    kept = request.GET.copy()
    kept.pop("index", None)
    address = reverse("step", args=[episode.pk, found])
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
            "thought": diffing.words_compared(before.thought, step.thought),
            "thoughts": [(before.index, shown(before.thought)), (step.index, shown(step.thought))],
            "tree": diffing.lines_compared(before.observation_text, step.observation_text),
            "pictures": pictures_compared.pictures_compared(before.screenshot, step.screenshot),
        }
    fragment = wants_fragment(request) or FRAGMENT in request.GET
    return render(request, "lab/_step_changes.html" if fragment else "lab/step_changes.html", context)


@lab_page
def step_text(request: LabRequest, episode_id: int, index: int, name: str) -> HttpResponse:
    """One whole text of a step as plain text, which a page shows the beginning of."""
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    text = mask_tokens(getattr(step, TEXTS[name]))
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _fragment(request: LabRequest, episode: Episode, *, index: int) -> HttpResponse:
    find = steps_find.find_asked(request.GET.get("find"))
    step = steps.step_get(episode=episode, index=index)
    return render(
        request, "lab/_step.html", {"episode": episode, "find": find, **_step(episode, step, find=find)}
    )


def _step(episode: Episode, step: Step, *, find: str) -> dict[str, Any]:
    blobs = steps.blobs_known([step.screenshot, step.observation_sha256])
    events = steps.step_events(episode_id=episode.pk, index=step.index)
    programs = calls.calls_of(episode, step=step.index)
    screenshot = blobs.get(step.screenshot)
    picture = overlay.overlay_of(step) if screenshot else None
    kept = steps.step_facts(episode_id=episode.pk, index=step.index)
    facts = kept or _facts_so_far(episode, step)
    before, after = steps.steps_beside(episode_id=episode.pk, index=step.index)
    context = {
        "step": step,
        "before": before,
        "after": after,
        "told": _told(step, facts, is_so_far=kept is None),
        "element": element_more(step.action, in_observation=step.observation_text),
        "thought": shown(step.thought, find=find),
        "url": shown(step.url[:4_000], find=find),
        "tree": shown(step.observation_text, find=find),
        "raw": shown(step.raw, find=find),
        "action_json": shown(pretty(step.action), find=find) if step.action else None,
        "more_json": shown(pretty(step.more)) if step.more else None,
        "figures": figures_of(step),
        "facts": facts,
        "is_so_far": kept is None,
        "replayed": _replayed(episode, step),
        "mismatches": steps_outline.MISMATCHES,
        "page_events": replace(events, site=[]),
        "site_events": replace(events, page=[]),
        "calls": programs,
        "screenshot": screenshot,
        "picture": picture,
        "lack": overlay.lack_of(step, is_stored=screenshot is not None, is_readable=picture is not None),
        "observation_blob": blobs.get(step.observation_sha256),
        "says": first_line(step.thought, 120),
    }
    counts = {"page": len(events.page), "server": len(events.site), "programs": len(programs)}
    panels = panels_of(
        episode,
        step,
        counts=counts,
        is_measured=facts is not None,
        is_recorded=scenes.has_recording(episode),
    )
    return {**context, "panels": panels}


def _told(step: Step, facts: StepFacts | None, *, is_so_far: bool) -> Told:
    target = target_told(step.action, observation=step.observation_text)
    if facts is None:
        return Told(target=target)
    return Told(target=target, said_done=facts.said_done, detail=facts.said_done_detail, is_so_far=is_so_far)


def _facts_so_far(episode: Episode, step: Step) -> StepFacts | None:
    found = steps_so_far.facts_so_far(episode_id=episode.pk, first=step.index, last=step.index)
    return found.get(step.index)


def _replayed(episode: Episode, step: Step) -> Said | None:
    """What was found of its DOM replay; None where nobody has looked."""
    if episode.recording != Episode.Recording.FULL:
        return None
    found = step_fidelity(episode_id=episode.pk, index=step.index)
    return fidelity_said(found, has_ended=episode.finished_at is not None) if found else None


def _around(episode: Episode, step: Step, *, find: str) -> dict[str, Any]:
    """What stays while steps go by."""
    news = following.news_of(episode)
    low, high = step.index - steps.STRIP_REACH, step.index + steps.STRIP_REACH
    found = steps_find.steps_matching(episode_id=episode.pk, find=find)
    return {
        "here": "search",
        "task": episode.task,
        "skips_start": low > 1,
        "skips_end": high < news["last"],
        "strip": steps.strip_around(episode_id=episode.pk, index=step.index),
        "found": found,
        "found_before": found.before(step.index),
        "found_after": found.after(step.index),
        "found_place": found.place_of(step.index),
        **news,
    }
