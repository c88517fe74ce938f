"""URLs of the arena. All of an episode's pages are below its token."""

from __future__ import annotations

from django.urls import path

from gymsite.arena import answer_form, panel_tool, pictures, run_tool, takeovers, views

urlpatterns = [
    path("healthz", views.health),
    path("takeover/<str:code>", takeovers.link),
    path("e/<str:token>/takeover/", takeovers.frame),
    path("e/<str:token>/takeover/<slug:name>.js", takeovers.script),
    path("e/<str:token>/takeover/arrive", takeovers.arrive),
    path("e/<str:token>/takeover/restored", takeovers.restored),
    path("e/<str:token>/takeover/steps", takeovers.steps),
    path("e/<str:token>/takeover/correct", takeovers.correct),
    path("e/<str:token>/takeover/end", takeovers.end),
    path("e/<str:token>/", views.first_page),
    path("e/<str:token>/submit", answer_form.submit),
    path("e/<str:token>/done", views.done),
    path("e/<str:token>/events", views.page_events),
    path("e/<str:token>/recording", views.recording_chunk),
    path("e/<str:token>/run", run_tool.run),
    path("e/<str:token>/tools/<slug:tool>", panel_tool.call),
    path("e/<str:token>/pictures/<slug:name>", views.picture),
    path("e/<str:token>/pictures/<slug:name>.<int:width>.webp", pictures.site_picture),
    path("e/<str:token>/<path:rest>", views.site_page),
]

handler400 = views.bad_request
handler404 = views.not_found
handler500 = views.server_error
