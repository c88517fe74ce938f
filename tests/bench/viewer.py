"""Episodes for timing the viewer, made inside a process of the installation.

`python -m tests.bench.viewer STEPS ...` prints a JSON object with the episodes' ids and the cookie of a
login.
"""

from __future__ import annotations

import json
import os
import sys

import django

PICTURES = 200


def main(lengths: list[int]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client

    from core.storage import thumbnails
    from tasks_app.models import Task
    from tests import factories
    from tests.lab.long_scene import long_episode
    from trajectories.behaviour.facts import store
    from trajectories.models import Picture

    group = factories.group(task=Task.objects.order_by("pk").first())
    made = [
        long_episode(steps=steps, pictures=min(steps, PICTURES), group=group, sample_index=place).pk
        for place, steps in enumerate(lengths)
    ]
    for picture in Picture.objects.all():
        if (image := thumbnails.picture_read(picture.pk)) is not None:
            thumbnails.thumbnail_save(picture.pk, image)
    store.facts_compute(made)
    client = Client()
    client.force_login(User.objects.get_or_create(username="bench", defaults={"is_staff": True})[0])
    print(json.dumps({"episodes": made, "cookie": client.cookies["palaestra_lab"].value}))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]])
