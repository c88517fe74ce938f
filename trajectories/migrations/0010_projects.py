"""Keys, runs, reports, exports and annotation projects belong to a project; until now to the default."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0009_samplertask_last_draw_removed'),
    ]

    operations = [
        migrations.AddField(
            model_name='annotationproject',
            name='project',
            field=models.CharField(db_default='default', default='default', max_length=64),
        ),
        migrations.AddField(
            model_name='apikey',
            name='project',
            field=models.CharField(db_default='default', default='default', max_length=64),
        ),
        migrations.AddField(
            model_name='export',
            name='project',
            field=models.CharField(db_default='default', default='default', max_length=64),
        ),
        migrations.AddField(
            model_name='report',
            name='project',
            field=models.CharField(db_default='default', default='default', max_length=64),
        ),
        migrations.AddField(
            model_name='run',
            name='project',
            field=models.CharField(db_default='default', default='default', max_length=64),
        ),
    ]
