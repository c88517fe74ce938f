from __future__ import annotations

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.comparing import EPISODES_MAX, compare
from trajectories.replay.forms import RowsForm
from trajectories.replay.selectors import comparing

EPISODES_LEAST = 2
ID_DIGITS = 19


@lab_page
def compare_detail(request: LabRequest) -> HttpResponse:
    """``?episodes=1,2`` or, as ticked boxes send it, ``?episodes=1&episodes=2``; up to four."""
    ids, refused = _wanted(request.GET)
    episodes = comparing.episodes_get(ids[:EPISODES_MAX])
    shown = [episode.pk for episode in episodes]
    first = RowsForm({"first": request.GET.get("from", "")}).filters().get("first", 1)
    context = {
        "here": "search",
        "episodes": episodes,
        "ids": ",".join(map(str, shown)),
        "refused": refused,
        "is_over": len(ids) > EPISODES_MAX,
        "room": EPISODES_MAX - len(episodes),
        "task": episodes[0].task if episodes else None,
        "are_several_tasks": len({episode.task_id for episode in episodes}) > 1,
        "choices": _choices(episodes[0].task_id, shown) if 0 < len(episodes) < EPISODES_MAX else [],
        "comparison": compare(episodes, first=first) if len(episodes) >= EPISODES_LEAST else None,
    }
    return render(request, "lab/compare.html", context)


def _choices(task_id: int, shown: list[int]) -> list[object]:
    return list(comparing.episodes_to_choose(task_id=task_id, besides=shown))


def _wanted(parameters: QueryDict) -> tuple[list[int], list[str]]:
    """The ids, each once and in their order, and what is none."""
    words = [word.strip() for text in parameters.getlist("episodes") for word in text.split(",")]
    words = [word for word in words if word]
    good = [word for word in words if word.isascii() and word.isdigit() and len(word) < ID_DIGITS]
    return list(dict.fromkeys(map(int, good))), [word for word in words if word not in good]
