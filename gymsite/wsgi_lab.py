"""The lab's door: REST API and researchers' pages."""

from __future__ import annotations

import os

os.environ.setdefault("GYM_PROCESS", "lab")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

from django.core.wsgi import get_wsgi_application  # noqa: E402 (settings read the process kind first)

application = get_wsgi_application()
