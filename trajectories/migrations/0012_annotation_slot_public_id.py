"""A random name for each slot: numbers that count up would tell repeats and golds, which are made later."""

from __future__ import annotations

import django.contrib.postgres.functions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("trajectories", "0011_watch_mark")]

    operations = [
        migrations.AddField(
            model_name="annotationslot",
            name="public_id",
            field=models.UUIDField(
                db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, unique=True
            ),
        ),
    ]
