from __future__ import annotations

import os
import threading

import pytest

from tasks_app.draft_assets import DECODERS_MAX, ROWS_AHEAD, drafts_complete
from tasks_app.types import BadRow, GoldDraft, PictureDraft, TaskDraft


def test_simultaneous_picture_decodes_are_bounded_on_machines_with_many_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    decoding = threading.Barrier(DECODERS_MAX)
    threads: set[int] = set()

    def read() -> bytes:
        threads.add(threading.get_ident())
        decoding.wait()
        raise ValueError("not a picture")

    draft = TaskDraft(key="1", payload={}, gold=GoldDraft(answer="1"), pictures=(PictureDraft(data=read),))
    outcomes = list(drafts_complete([draft] * ROWS_AHEAD))
    assert outcomes == [BadRow("", "picture 1: not a picture")] * ROWS_AHEAD
    assert len(threads) == DECODERS_MAX
