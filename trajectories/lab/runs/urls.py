"""Addresses of the list of runs and the page of a run."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.runs import views

urlpatterns = [
    path("", views.run_list, name="runs"),
    path("runs/", views.run_list_named, name="runs_named"),
    path("runs/<id:run_id>/", views.run_detail, name="run"),
    path("runs/<id:run_id>/live", views.run_live, name="run_live"),
]
