"""Addresses of the researchers' pages."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path

from gymsite.core import converters
from trajectories.replay.views import (
    blobs,
    comparing,
    dom,
    episodes,
    fidelity,
    login,
    pictures,
    recordings,
    runs,
    searching,
    steps,
    steps_index,
    system,
    taking_away,
    tasks,
)

converters.converters_register()

urlpatterns = [
    path("login/", login.LabLoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", runs.run_list, name="runs"),
    path("runs/", runs.run_list_named, name="runs_named"),
    path("runs/<id:run_id>/", runs.run_detail, name="run"),
    path("search", searching.search, name="search"),
    path("search/", searching.search_slashed, name="search_slashed"),
    path("search/counts", searching.search_counts, name="search_counts"),
    path("search/trajectories.ndjson", searching.search_trajectories, name="search_trajectories"),
    path("search/facts.csv", searching.search_facts, name="search_facts"),
    path("search/ids.txt", searching.search_ids, name="search_ids"),
    path("runs/<id:run_id>/live", runs.run_live, name="run_live"),
    path("episodes/", searching.episode_list, name="episodes"),
    path("episodes/<id:episode_id>/", episodes.episode_detail, name="episode"),
    path("episodes/<id:episode_id>/progress", episodes.episode_progress, name="episode_progress"),
    path("episodes/<id:episode_id>/news", episodes.episode_news, name="episode_news"),
    path("episodes/<id:episode_id>/prompt", episodes.episode_prompt, name="episode_prompt"),
    path("episodes/<id:episode_id>/index.json", steps_index.episode_index, name="episode_index"),
    path("episodes/<id:episode_id>/find.json", steps_index.episode_find, name="episode_find"),
    path("episodes/<id:episode_id>/steps/", steps.step_go, name="step_go"),
    path("episodes/<id:episode_id>/steps/<id:index>/changes", steps.step_changes, name="step_changes"),
    *(
        path(
            f"episodes/<id:episode_id>/steps/<id:index>/{name}.txt",
            steps.step_text,
            {"name": name},
            name=f"step_text_{name}",
        )
        for name in steps.TEXTS
    ),
    path("episodes/<id:episode_id>/steps/<id:index>", steps.step_detail, name="step"),
    path("episodes/<id:episode_id>/steps/<id:index>/", steps.step_slashed, name="step_slashed"),
    path("episodes/<id:episode_id>/steps/<id:index>/replay", dom.step_replay, name="step_replay"),
    path("episodes/<id:episode_id>/steps/<id:index>/dom", dom.step_dom, name="step_dom"),
    path("episodes/<id:episode_id>/steps/<id:index>/fidelity", fidelity.step_compared, name="step_compared"),
    path(
        "episodes/<id:episode_id>/steps/<id:index>/fidelity/check",
        fidelity.step_compare,
        name="step_compare",
    ),
    path("drawings/<slug:name>.<int:width>.webp", dom.drawing, name="drawing"),
    *(
        path(
            f"episodes/<id:episode_id>/steps/<id:index>/picture.{kind}",
            pictures.step_picture,
            {"kind": kind},
            name=f"step_picture_{kind}",
        )
        for kind in pictures.FORMATS
    ),
    path(
        "episodes/<id:episode_id>/recording/<slug:page>.json",
        recordings.page_recording,
        name="page_recording",
    ),
    path("episodes/<id:episode_id>/export.html", taking_away.episode_as_html, name="episode_as_html"),
    path("episodes/<id:episode_id>/export.json", taking_away.episode_as_json, name="episode_as_json"),
    path("compare", comparing.compare_detail, name="compare"),
    path("compare/", comparing.compare_slashed, name="compare_slashed"),
    path("tasks/", tasks.task_list, name="tasks"),
    path("tasks/<id:task_id>/", tasks.task_detail, name="task"),
    path("blobs/<sha256:sha256>", blobs.blob_detail, name="blob"),
    path("blobs/<sha256:sha256>/thumbnail", blobs.blob_thumbnail, name="blob_thumbnail"),
    path("system/", system.system, name="system"),
]
