from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0008_fidelity'),
    ]

    operations = [
        migrations.AddField(
            model_name='fidelity',
            name='asked_at',
            field=models.DateTimeField(null=True),
        ),
    ]
