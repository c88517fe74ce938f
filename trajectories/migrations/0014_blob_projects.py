"""Blobs name the projects whose keys uploaded them; those that are there are everybody's."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0013_key_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='blob',
            name='projects',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), null=True, size=None),
        ),
    ]
