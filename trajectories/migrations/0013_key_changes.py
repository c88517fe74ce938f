"""The last use of keys, and the record of their creation and revocation."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('trajectories', '0012_annotation_slot_public_id'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='used_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='KeyChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('created', 'Created'), ('revoked', 'Revoked')], max_length=8)),
                ('author', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('api_key', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='trajectories.apikey')),
            ],
        ),
    ]
