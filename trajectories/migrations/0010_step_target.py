from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0009_fidelity_asked'),
    ]

    operations = [
        migrations.AddField(
            model_name='stepfacts',
            name='target',
            field=models.CharField(blank=True, db_default='', default='', max_length=120),
        ),
    ]
