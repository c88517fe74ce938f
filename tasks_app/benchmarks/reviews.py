"""Reviews: a shop with tasks of counting and finding among hundreds of reviews, made for this gym."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from tasks_app.benchmarks import _sites
from tasks_app.registry import benchmarks
from tasks_app.types import BenchmarkPlugin, Row

SITE = "reviews"
SAMPLED = ("count_conditions", "count_mentions", "mean_rating", "mention_when")


def generate(count: int, seed: int, split: str) -> Iterator[Row]:
    return _sites.generate(SITE, count=count, seed=seed, split=split, salt=settings.WORLD_SALT)


benchmarks.register(
    SITE,
    BenchmarkPlugin(
        id=SITE,
        title="Reviews",
        kind=_sites.KIND,
        license="Apache-2.0",
        source="made by this project",
        verifier_official="site_state-v1",
        verifier_training="site_state-v1",
        splits=("train", "test"),
        samples=_sites.samples_draw(SITE, SAMPLED),
        generate_split=generate,
        exemplar_tag="family:",
    ),
)
