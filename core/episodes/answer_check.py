"""The request to check a first answer, sent in runs whose setting ``answer_check`` is ``once``.

Pages and the API send the same text, which does not reveal whether the answer is right. A different wording
could change scores, so it would need a new value of the setting.
"""

from __future__ import annotations

from typing import Any, Final

SETTING: Final = "answer_check"
ONCE: Final = "once"
VALUES: Final = (ONCE,)
REQUEST: Final = (
    "Your answer is recorded, and it is not final yet. Check it once against the task. Then answer again as "
    "before: the same answer confirms it, another one replaces it."
)


def is_checked(settings: dict[str, Any]) -> bool:
    """Return whether a run with these settings asks the agent to check its answer and give it again."""
    return settings.get(SETTING) == ONCE
