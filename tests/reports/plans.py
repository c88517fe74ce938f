"""An analysis plan for tests."""

from __future__ import annotations

from typing import Any


def plan(**fields: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "name": "small model on gsm8k",
        "model": {"name": "small", "base_url": "http://127.0.0.1:9/v1", "checkpoint": "step-0"},
        "benchmarks": [{"slug": "gsm8k", "split": "test", "limit": 200, "task_ids": None}],
        "arms": ["text_zero_shot", "text_agent", "gym_with_text", "gym"],
        "observation": "axtree-v2",
        "grammar": "json",
        "history": "full",
        "actions_per_turn": 1,
        "samples": 4,
        "looks": {"design": "rotation", "count": 12},
        "retest": True,
        "exclusions": ["guided episodes"],
        "alpha": 0.05,
        "margin": 3.0,
        "contrasts": [["text_zero_shot", "gym"]],
        "smallest_gap": {"points": 7.5, "power": 0.8, "assumptions": {"sd": 0.4}},
        "seed": 7,
        "created_at": "2026-11-23T12:00:00Z",
        **fields,
    }
