"""Steps of people, which cost the agent no budget, beside the budget that its prompt tells."""

from django.db import migrations, models

RESTORED = """
    UPDATE trajectories_episode e SET person_steps = p.steps, max_steps = e.max_steps - p.steps
    FROM (SELECT s.episode_id, count(*) AS steps FROM trajectories_step s
        JOIN trajectories_episode t ON t.id = s.episode_id AND t.is_taken_over WHERE s.actor = 'person' GROUP BY 1) p
    WHERE e.id = p.episode_id"""
RAISED = "UPDATE trajectories_episode SET max_steps = max_steps + person_steps WHERE person_steps > 0"


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0021_abstraction_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='episode',
            name='person_steps',
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.RunSQL(RESTORED, RAISED),
    ]
