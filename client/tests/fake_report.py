"""The tables of the fake server's reports."""

from __future__ import annotations

TABLES = [
    {
        "id": "gaps",
        "title": "Gaps",
        "main": ["contrast", "gap"],
        "columns": [
            {"id": "contrast", "title": "contrast", "unit": ""},
            {"id": "gap", "title": "gap", "unit": "points"},
        ],
        "rows": [
            {"contrast": "text_zero_shot - gym", "gap": 9.25},
            {"contrast": "text_zero_shot - gym_with_text", "gap": None, "note": "too few items"},
        ],
        "notes": ["These looks only."],
    }
]
