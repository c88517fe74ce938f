"""People who act in place of the agent; their steps, and episodes that are not plain for it."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

SEGMENTS = [('recovery', 'Recovery'), ('correction', 'Correction')]


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0019_guidance'),
    ]

    operations = [
        migrations.AddField(
            model_name='episode',
            name='is_taken_over',
            field=models.BooleanField(db_default=False),
        ),
        # Postgres computes it, and cannot be told another expression before its version 17.
        migrations.RemoveField(model_name='episode', name='is_plain'),
        migrations.AddField(
            model_name='episode',
            name='is_plain',
            field=models.GeneratedField(db_persist=True, expression=models.Q(('guidance__isnull', True), ('is_taken_over', False), ('parent__isnull', True)), output_field=models.BooleanField()),
        ),
        migrations.AddField(
            model_name='step',
            name='segment',
            field=models.CharField(choices=SEGMENTS, db_default='', default='', max_length=12),
        ),
        migrations.AlterField(
            model_name='step',
            name='actor',
            field=models.CharField(choices=[('policy', 'Policy'), ('human', 'Human'), ('oracle', 'Oracle'), ('router', 'Router'), ('person', 'Person')], default='policy', max_length=8),
        ),
        migrations.CreateModel(
            name='Takeover',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.CharField(max_length=150)),
                ('link', models.CharField(default='', max_length=64)),
                ('grammar', models.CharField(max_length=32)),
                ('segment', models.CharField(choices=SEGMENTS, max_length=12)),
                ('begins_after', models.PositiveIntegerField()),
                ('last_index', models.PositiveIntegerField()),
                ('element_ids', models.TextField(default='')),
                ('entry', models.TextField(default='')),
                ('as_of', models.PositiveIntegerField(null=True)),
                ('acts', models.JSONField(default=list)),
                ('is_leading', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('last_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_as', models.CharField(choices=[('handed_back', 'Handed Back'), ('given_up', 'Given Up'), ('idle', 'Idle')], default='', max_length=12)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='takeovers', to='trajectories.episode')),
            ],
        ),
        migrations.AddConstraint(
            model_name='takeover',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('episode',), name='takeover_one_at_a_time'),
        ),
    ]
