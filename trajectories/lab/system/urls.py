"""Addresses of the page about the installation."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.system import views

urlpatterns = [path("system/", views.system, name="system")]
