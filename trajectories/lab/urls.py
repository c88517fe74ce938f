"""Addresses of the researchers' pages: each page's folder names its own."""

from __future__ import annotations

from django.urls import include, path

from core import converters

converters.converters_register()

PAGES = ("runs", "search", "episode", "step", "compare", "export", "tasks", "system", "login")

urlpatterns = [path("", include(f"trajectories.lab.{page}.urls")) for page in PAGES]
