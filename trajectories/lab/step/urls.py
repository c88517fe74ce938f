"""Addresses of the page of a step and of its parts."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.step import data_views, dom_views, picture_views, views

EPISODE = "episodes/<id:episode_id>"
STEP = f"{EPISODE}/steps/<id:index>"

urlpatterns = [
    path(f"{EPISODE}/news", views.episode_news, name="episode_news"),
    path(f"{EPISODE}/index.json", data_views.episode_index, name="episode_index"),
    path(f"{EPISODE}/find.json", data_views.episode_find, name="episode_find"),
    path(f"{EPISODE}/recording/<slug:page>.json", data_views.page_recording, name="page_recording"),
    path(f"{EPISODE}/steps/", views.step_go, name="step_go"),
    path(STEP, views.step_detail, name="step"),
    path(f"{STEP}/", views.step_slashed, name="step_slashed"),
    path(f"{STEP}/changes", views.step_changes, name="step_changes"),
    path(f"{STEP}/replay", dom_views.step_replay, name="step_replay"),
    path(f"{STEP}/dom", dom_views.step_dom, name="step_dom"),
    path(f"{STEP}/fidelity", dom_views.step_compared, name="step_compared"),
    path(f"{STEP}/fidelity/check", dom_views.step_compare, name="step_compare"),
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
    path("drawings/<slug:name>.<int:width>.webp", picture_views.drawing, name="drawing"),
    path("blobs/<sha256:sha256>", picture_views.blob_detail, name="blob"),
    path("blobs/<sha256:sha256>/thumbnail", picture_views.blob_thumbnail, name="blob_thumbnail"),
]
