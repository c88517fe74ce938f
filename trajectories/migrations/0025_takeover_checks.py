"""What a fork that a person takes over is held against, and in what it differed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0024_guided_episodes'),
    ]

    operations = [
        migrations.AddField(
            model_name='takeover',
            name='detail',
            field=models.TextField(default=''),
        ),
        migrations.AddField(
            model_name='takeover',
            name='expected',
            field=models.TextField(default=''),
        ),
        migrations.AlterField(
            model_name='takeover',
            name='ended_as',
            field=models.CharField(choices=[('handed_back', 'Handed Back'), ('given_up', 'Given Up'), ('idle', 'Idle'), ('diverged', 'Diverged')], default='', max_length=12),
        ),
    ]
