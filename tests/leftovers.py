"""Closing and reporting of sockets and files that a failed test leaves open, before another test fails.

The traceback of a failure keeps the test's frames alive, and these keep its sockets and files. Python's
garbage collector would find them in the middle of some later test, which would then fail because of the
warning.
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
    """Drop a failed test's frames after its failure has been reported, and again after its teardown."""
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
    """Clear a failure's frames, and return the warnings about what the garbage collector had to close."""
    usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)
            for one in _chain(failure):
                traceback.clear_frames(one.__traceback__)
                for frame, _ in traceback.walk_tb(one.__traceback__):
                    frame.f_locals  # noqa: B018 (reading it drops the copy that pytest made by reading it)
            for name in LAST:  # the interpreter keeps them for a debugger
                if hasattr(sys, name):
                    delattr(sys, name)
            gc.collect()
    finally:
        sys.unraisablehook = usual
    return [str(one.message) for one in warned]


def _chain(failure: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and all its causes, contexts and members."""
    seen: set[int] = set()
    left = [failure]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        left += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
