"""Addresses of login and logout."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path

from trajectories.lab.login import views

urlpatterns = [
    path("login/", views.LabLoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
