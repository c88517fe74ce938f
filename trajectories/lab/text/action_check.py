"""The colour of a step: how its action ended."""

from __future__ import annotations

from trajectories.facts.action_rules import NOT_DONE

RESULT_TONES = {"ok": "good", "no_target": "warn", "refused": "bad", "timeout": "warn", "invalid": "bad"}

SAID_DONE = {
    "confirmed": ("seen by the page", "good"),
    "not_seen": ("not seen by the page", "warn"),
    "different": ("the page saw another thing", "bad"),
    "extra": ("the page saw more", "warn"),
    "unknown": ("nobody knows what the page saw", "plain"),
    "none": ("nothing to be seen", "plain"),
}
UNKNOWN_YET = "not known yet what the page saw"
# Answers reach the gym without a page.
ANSWERED = {
    "confirmed": "taken as the answer",
    "not_seen": "not taken as the answer",
    "different": "another answer was sent",
}
# What a filter finds: actions on pages and answers alike.
SOUGHT = {kind: f"{words}, or {ANSWERED[kind]}" for kind, (words, _) in SAID_DONE.items() if kind in ANSWERED}


# There is nothing in these that a page could see.
UNSEEN_TYPES = ("wait", "noop")
# Beside the words, for whoever runs down a list.
SIGNS = {"confirmed": "✓", "not_seen": "∅", "different": "≠", "extra": "+"}


def said_done_kind(kind: str, *, action_type: str) -> str:
    """The kind that is told: a page that reported nothing during a pause has seen nothing."""
    return "none" if kind == "confirmed" and action_type in UNSEEN_TYPES else kind


def said_done_words(kind: str, *, action_type: str = "", result: str = "") -> str:
    """What became of an action, in words that stand alone."""
    kind = said_done_kind(kind, action_type=action_type)
    if kind == "not_seen" and result in NOT_DONE:
        return "not done"
    if action_type == "answer" and kind in ANSWERED:
        return ANSWERED[kind]
    return SAID_DONE.get(kind, (kind, ""))[0]


def said_done_sought(kind: str) -> str:
    """What a search for the kind finds, of whatever action."""
    return SOUGHT.get(kind, SAID_DONE[kind][0])


def step_tone(result: str, *, is_unread: bool, is_known: bool) -> str:
    """``good``, ``warn``, ``bad`` or ``plain``: what could not be understood is worse than what failed."""
    if is_unread:
        return "bad"
    if not is_known:
        return "warn"
    return RESULT_TONES.get(result, "plain")
