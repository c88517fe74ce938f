"""Measurements of an installation, each compared with its floor or peer.

Some rows call the same functions as Django's workers.
"""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
