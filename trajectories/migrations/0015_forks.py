"""Episodes that begin where another one stood after a step, and the sums that leave them out."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0014_blob_projects'),
    ]

    operations = [
        migrations.AddField(
            model_name='episode',
            name='parent',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='forks', to='trajectories.episode'),
        ),
        migrations.AddField(
            model_name='episode',
            name='begins_after',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name='episode',
            name='inherited_events',
            field=models.PositiveIntegerField(db_default=0, null=True),
        ),
        migrations.AddField(
            model_name='episode',
            name='is_plain',
            field=models.GeneratedField(db_persist=True, expression=models.Q(('guidance__isnull', True), ('parent__isnull', True)), output_field=models.BooleanField()),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(condition=models.Q(('parent__isnull', False)), fields=['parent'], name='episode_forks'),
        ),
        migrations.RemoveConstraint(model_name='endingsum', name='ending_sum_once'),
        migrations.RenameField(model_name='endingsum', old_name='is_guided', new_name='is_plain'),
        # The old column said the opposite.
        migrations.RunSQL(
            'UPDATE trajectories_endingsum SET is_plain = NOT is_plain',
            reverse_sql='UPDATE trajectories_endingsum SET is_plain = NOT is_plain',
        ),
        migrations.AddConstraint(
            model_name='endingsum',
            constraint=models.UniqueConstraint(fields=('run', 'arm', 'policy_version', 'is_plain', 'outcome', 'reason'), name='ending_sum_once', nulls_distinct=False),
        ),
    ]
