"""Figures of an installation, each next to its floor or peer; some rows call what Django's workers call."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
