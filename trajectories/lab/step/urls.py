"""Addresses of the page of a step and of its parts."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.step import (
    blob_views,
    dom_views,
    fidelity_views,
    index_views,
    picture_views,
    recording_views,
    views,
)

STEP = "episodes/<id:episode_id>/steps/<id:index>"

urlpatterns = [
    path("episodes/<id:episode_id>/index.json", index_views.episode_index, name="episode_index"),
    path("episodes/<id:episode_id>/find.json", index_views.episode_find, name="episode_find"),
    path(
        "episodes/<id:episode_id>/recording/<slug:page>.json",
        recording_views.page_recording,
        name="page_recording",
    ),
    path("episodes/<id:episode_id>/steps/", views.step_go, name="step_go"),
    path(STEP, views.step_detail, name="step"),
    path(f"{STEP}/", views.step_slashed, name="step_slashed"),
    path(f"{STEP}/changes", views.step_changes, name="step_changes"),
    path(f"{STEP}/replay", dom_views.step_replay, name="step_replay"),
    path(f"{STEP}/dom", dom_views.step_dom, name="step_dom"),
    path(f"{STEP}/fidelity", fidelity_views.step_compared, name="step_compared"),
    path(f"{STEP}/fidelity/check", fidelity_views.step_compare, name="step_compare"),
    *(
        path(f"{STEP}/{name}.txt", views.step_text, {"name": name}, name=f"step_text_{name}")
        for name in views.TEXTS
    ),
    *(
        path(
            f"{STEP}/picture.{kind}", picture_views.step_picture, {"kind": kind}, name=f"step_picture_{kind}"
        )
        for kind in picture_views.FORMATS
    ),
    path("drawings/<slug:name>.<int:width>.webp", dom_views.drawing, name="drawing"),
    path("blobs/<sha256:sha256>", blob_views.blob_detail, name="blob"),
    path("blobs/<sha256:sha256>/thumbnail", blob_views.blob_thumbnail, name="blob_thumbnail"),
]
