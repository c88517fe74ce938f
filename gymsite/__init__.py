"""Wiring, the arena that agents see, and the commands that start everything."""

from gymsite.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"
