"""What a failed test leaves open is closed with it and named in its report, so that no neighbour fails by it.

The traceback of a failure holds the frames of its test, and these its sockets and files. Python's collector
finds them in the middle of some later test, which then fails by the warning.
"""

from __future__ import annotations

import gc
import sys
import traceback
import warnings
from collections.abc import Generator, Iterator

import pytest

FAILED = pytest.StashKey[bool]()
HEADING = "Left open by this test"
LAST = ("last_exc", "last_type", "last_value", "last_traceback")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Drop the frames of a failed test once its failure is written down, and again after its fixtures."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    is_last = call.when == "teardown"
    if item.stash.get(FAILED, False) and (report.failed or is_last):
        names = _collected(call.excinfo.value if call.excinfo else None)
        if names:
            report.sections.append((HEADING, "\n".join(names)))
    return report


def _collected(failure: BaseException | None) -> list[str]:
    """What of a failure's frames had to be closed by the collector."""
    usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)
            for one in _chain(failure):
                traceback.clear_frames(one.__traceback__)
                for frame, _ in traceback.walk_tb(one.__traceback__):
                    frame.f_locals  # noqa: B018 (reading it drops a copy that pytest's own reading left)
            for name in LAST:  # of the interpreter, for a debugger
                if hasattr(sys, name):
                    delattr(sys, name)
            gc.collect()
    finally:
        sys.unraisablehook = usual
    return [str(one.message) for one in warned]


def _chain(failure: BaseException | None) -> Iterator[BaseException]:
    """An exception and all that it came from."""
    seen: set[int] = set()
    left = [failure]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        left += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
