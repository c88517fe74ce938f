"""URLs of the task endpoints, below ``/api/v1/``."""

from __future__ import annotations

from django.urls import path

from tasks_app import api

urlpatterns = [
    path("benchmarks", api.BenchmarksView.as_view(), name="benchmarks"),
    path("tasks", api.TasksView.as_view(), name="tasks"),
    path("tasks/export", api.TasksExportView.as_view(), name="tasks_export"),
    path("golds/export", api.GoldsExportView.as_view(), name="golds_export"),
]
