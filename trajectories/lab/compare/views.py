from __future__ import annotations

from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.compare import selectors
from trajectories.lab.compare.comparison import EPISODES_MAX, Comparison, columns_of, compare
from trajectories.lab.forms import RowsForm, misnamed
from trajectories.models import Episode

EPISODES_LEAST = 2
ID_DIGITS = 19
EPISODES = "episodes"


@lab_page
def compare_slashed(request: LabRequest) -> HttpResponse:
    """The address as other pages' end."""
    return redirect(reverse("compare", query=request.GET))


@lab_page
def compare_detail(request: LabRequest) -> HttpResponse:
    """``?episodes=1,2``, up to four; how ticked boxes send them leads to that address."""
    words = _words(request.GET)
    if _is_loose(request.GET, words):
        return redirect(_address(request.GET, words))
    ids, refused = _wanted(words)
    episodes = selectors.episodes_get(ids[:EPISODES_MAX])
    form = RowsForm(request.GET)
    first = form.filters().get("from", 1)
    comparison = compare(episodes, first=first) if len(episodes) >= EPISODES_LEAST else None
    context = {
        "here": "search",
        "problems": _problems(request.GET, form, comparison, first=first),
        "episodes": episodes,
        "ids": ",".join(str(episode.pk) for episode in episodes),
        "refused": refused,
        "is_over": len(ids) > EPISODES_MAX,
        "room": EPISODES_MAX - len(episodes),
        "task": episodes[0].task if episodes else None,
        "are_several_tasks": len({episode.task_id for episode in episodes}) > 1,
        "choices": _choices(episodes) if len(episodes) < EPISODES_MAX else [],
        "comparison": comparison,
        "alone": columns_of(episodes)[0] if len(episodes) == 1 else None,
    }
    return render(request, "lab/compare/compare.html", context)


def _words(parameters: QueryDict) -> list[str]:
    """What is asked for, each once and in its order; boxes send an empty one along where none is ticked."""
    words = [word.strip() for text in parameters.getlist(EPISODES) for word in text.split(",")]
    return list(dict.fromkeys(filter(None, words)))


def _is_loose(parameters: QueryDict, words: list[str]) -> bool:
    """Whether the same is said more shortly, in the address that is to be shared."""
    return EPISODES in parameters and parameters.getlist(EPISODES) != ([",".join(words)] if words else [])


def _address(parameters: QueryDict, words: list[str]) -> str:
    asked = QueryDict(mutable=True)
    if words:
        asked[EPISODES] = ",".join(words)
    for name, values in parameters.lists():
        if name != EPISODES:
            asked.setlist(name, values)
    query = asked.urlencode(safe=",")
    return f"{reverse('compare')}?{query}" if query else reverse("compare")


def _problems(
    parameters: QueryDict, form: RowsForm, comparison: Comparison | None, *, first: int
) -> list[str]:
    """What of the address makes no sense, besides episodes."""
    found = [*form.problems(), *misnamed(parameters, known={EPISODES, *form.fields}, of="a comparison")]
    if comparison and first > max(1, comparison.rows):
        found.append(f"There is no row {first:,}: these are the last ones.")
    return found


def _choices(episodes: list[Episode]) -> list[dict[str, Any]]:
    """Other episodes to put beside these, by task."""
    shown = [episode.pk for episode in episodes]
    tasks = {episode.task_id: episode.task for episode in episodes}
    groups = [
        {
            "task": task,
            "episodes": selectors.episodes_to_choose(
                task_id=task_id, besides=shown, most=selectors.CHOICES_SHOWN // len(tasks)
            ),
        }
        for task_id, task in tasks.items()
    ]
    return [group for group in groups if group["episodes"]]


def _wanted(words: list[str]) -> tuple[list[int], list[str]]:
    """The ids, each once, and what is none."""
    good = [word for word in words if word.isascii() and word.isdigit() and len(word) < ID_DIGITS]
    return list(dict.fromkeys(map(int, good))), [word for word in words if word not in good]
