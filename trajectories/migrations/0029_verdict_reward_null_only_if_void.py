"""A judged verdict has a reward: a check that compares with null alone is null itself, which passes."""

from django.db import migrations, models

from core.episodes.outcomes import JUDGED, reward_sql

# A verdict's outcome is what was found; its reward follows from that.
RESTORED = f"""
UPDATE trajectories_verdict SET reward = {reward_sql("outcome")}
WHERE outcome = ANY(%s) AND reward IS NULL RETURNING id
"""
NAMED = 20


def rewards_restore(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(RESTORED, [list(JUDGED)])
        ids = sorted(row[0] for row in cursor.fetchall())
    if ids:
        rest = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        named = ", ".join(map(str, ids[:NAMED])) + rest
        print(f"\n{len(ids):,} judged verdicts had no reward, and got that of their outcome: {named}.")


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0028_judges'),
    ]

    operations = [
        migrations.RunPython(rewards_restore, migrations.RunPython.noop),
        migrations.RemoveConstraint(
            model_name='verdict',
            name='verdict_reward_null_iff_void',
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'void'), ('reward__isnull', True)), models.Q(('outcome', 'correct'), ('reward', 1.0), ('reward__isnull', False)), models.Q(('outcome', 'incorrect'), ('reward', 0.0), ('reward__isnull', False)), _connector='OR'), name='verdict_reward_null_iff_void'),
        ),
    ]
