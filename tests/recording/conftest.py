from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import ApiClient


@pytest.fixture
def trainer(api: Callable[..., ApiClient]) -> ApiClient:
    return api("trainer")
