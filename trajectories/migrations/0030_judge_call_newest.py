"""The newest calls of a judge, without those of all others that came after them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0029_verdict_reward_null_only_if_void'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='judgecall',
            index=models.Index(fields=['judge', 'id'], name='judge_call_newest'),
        ),
    ]
