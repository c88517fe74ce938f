"""What samplers know of prefixes of solutions, of failures since a success, and of the longest success."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0004_clean_steps'),
        ('trajectories', '0022_person_steps'),
    ]

    operations = [
        migrations.AddField(
            model_name='samplertask',
            name='failures',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name='samplertask',
            name='longest',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.CreateModel(
            name='SamplerPrefix',
            fields=[
                ('pk', models.CompositePrimaryKey('sampler_id', 'task_id', 'steps', blank=True, editable=False, primary_key=True, serialize=False)),
                ('steps', models.PositiveIntegerField()),
                ('judged', models.PositiveIntegerField()),
                ('correct', models.PositiveIntegerField()),
                ('sampler', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='prefixes', to='trajectories.sampler')),
                ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tasks_app.task')),
            ],
        ),
    ]
