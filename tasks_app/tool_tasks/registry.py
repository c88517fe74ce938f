"""Registry of tool task families by name. Each file in ``tasks_app/tool_tasks/families`` is one family."""

from __future__ import annotations

from core.registry import Registry
from tasks_app.tool_tasks.types import Family

FAMILIES: Registry[Family] = Registry("family of tool tasks")
TAG = "family:"
STAGE_TAG = "stage:"
