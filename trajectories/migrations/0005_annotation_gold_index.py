from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("trajectories", "0004_annotation_levels_views_jobs")]

    operations = [
        migrations.AddIndex(
            model_name="annotationunit",
            index=models.Index(
                condition=models.Q(("gold__isnull", False)),
                fields=["project", "position"],
                name="annotation_unit_gold",
            ),
        ),
    ]
