"""The arena's addresses. An episode's pages all live below its token."""

from __future__ import annotations

from django.urls import path

from gymsite.arena import answer_form, pictures, run_tool, views

urlpatterns = [
    path("healthz", views.health),
    path("e/<str:token>/", views.first_page),
    path("e/<str:token>/submit", answer_form.submit),
    path("e/<str:token>/done", views.done),
    path("e/<str:token>/events", views.page_events),
    path("e/<str:token>/recording", views.recording_chunk),
    path("e/<str:token>/run", run_tool.run),
    path("e/<str:token>/pictures/<slug:name>", views.picture),
    path("e/<str:token>/pictures/<slug:name>.<int:width>.webp", pictures.site_picture),
    path("e/<str:token>/<path:rest>", views.site_page),
]

handler400 = views.bad_request
handler404 = views.not_found
handler500 = views.server_error
