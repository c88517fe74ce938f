from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.actions import element_named
from trajectories.replay.figures import figures_of
from trajectories.replay.selectors import calls, episodes, steps


@lab_page
def step_detail(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    blobs = steps.blobs_known([step.screenshot, step.observation_sha256])
    last = steps.last_index(episode_id=episode.pk)
    context = {
        "here": "episodes",
        "figures": figures_of(step),
        "more": step.more,
        "element": element_named(step.action, in_observation=step.observation_text),
        "episode": episode,
        "run": episode.run,
        "task": episode.task,
        "step": step,
        "start": steps.first_index(episode_id=episode.pk),
        "last": last,
        "skips_start": index - steps.STRIP_REACH > 1,
        "skips_end": index + steps.STRIP_REACH < last,
        "before": steps.step_before(episode_id=episode.pk, index=index),
        "after": steps.step_after(episode_id=episode.pk, index=index),
        "strip": steps.strip_around(episode_id=episode.pk, index=index),
        "calls": calls.calls_of(episode, step=index),
        "events": steps.step_events(episode_id=episode.pk, index=index),
        "screenshot": blobs.get(step.screenshot),
        "observation_blob": blobs.get(step.observation_sha256),
    }
    return render(request, "lab/step.html", context)
