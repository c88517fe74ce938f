"""Addresses of the comparison of episodes."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.compare import views

urlpatterns = [
    path("compare", views.compare_detail, name="compare"),
    path("compare/", views.compare_slashed, name="compare_slashed"),
]
