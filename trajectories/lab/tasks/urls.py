"""Addresses of the list of tasks and the page of a task."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.tasks import views

urlpatterns = [
    path("tasks/", views.task_list, name="tasks"),
    path("tasks/<id:task_id>/", views.task_detail, name="task"),
]
