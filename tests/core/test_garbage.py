from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

import pytest

from core.telemetry.garbage import SELDOM, code_freeze, collect_seldom, loading


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


@pytest.mark.usefixtures("_as_before")
def test_freezing_code_leaves_the_pace_of_collections() -> None:
    before = gc.get_threshold()
    code_freeze()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() > 0


@pytest.mark.usefixtures("_as_before")
def test_nothing_is_collected_while_code_loads_and_what_it_left_stays_out_of_collections() -> None:
    with contextlib.suppress(ImportError), loading():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
