"""A paragraph stands for its part of a step, no longer for all of it."""

from django.db import migrations

SQL = """
UPDATE trajectories_annotationunit unit SET weight = unit.weight {sign} step.paragraphs
FROM (SELECT project_id, position, count(*) AS paragraphs FROM trajectories_annotationunit
      WHERE paragraph > 0 GROUP BY project_id, position) step
WHERE unit.project_id = step.project_id AND unit.position = step.position AND unit.paragraph > 0
"""


class Migration(migrations.Migration):
    dependencies = [("trajectories", "0005_annotation_gold_index")]

    operations = [migrations.RunSQL(SQL.format(sign="/"), SQL.format(sign="*"))]
