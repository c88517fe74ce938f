from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from core.garbage import SELDOM, collect_seldom


@pytest.fixture
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.usefixtures("_as_before")
def test_only_old_objects_are_collected_less_often() -> None:
    young, middle, _ = gc.get_threshold()
    collect_seldom()
    assert gc.get_threshold() == (young, middle, SELDOM)
    assert gc.get_freeze_count() > 0
