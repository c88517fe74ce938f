"""Addresses of the search over episodes."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.search import views

urlpatterns = [
    path("search", views.search, name="search"),
    path("search/", views.search_slashed, name="search_slashed"),
    path("search/counts", views.search_counts, name="search_counts"),
    path("search/trajectories.ndjson", views.search_trajectories, name="search_trajectories"),
    path("search/facts.csv", views.search_facts, name="search_facts"),
    path("search/ids.txt", views.search_ids, name="search_ids"),
    path("episodes/", views.episode_list, name="episodes"),
]
