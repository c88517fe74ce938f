"""No draw asks when a task was drawn last."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0008_exports'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='samplertask',
            name='last_draw',
        ),
    ]
