from django.db import migrations

RENAMED = {"choice-v1": "choice-v2", "mmmu_strict-v1": "mmmu_strict-v2"}


def verifiers_rename(apps, schema_editor):
    benchmarks = apps.get_model("tasks_app", "Benchmark").objects
    for old, new in RENAMED.items():
        benchmarks.filter(verifier_official=old).update(verifier_official=new)
        benchmarks.filter(verifier_training=old).update(verifier_training=new)


class Migration(migrations.Migration):
    """Judge the benchmarks of choices by the rule that reads more forms of a label."""

    dependencies = [("tasks_app", "0001_initial")]
    operations = [migrations.RunPython(verifiers_rename, migrations.RunPython.noop)]
