"""A step's texts as its page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from core.episodes.tokens import mask_tokens
from trajectories.actions.elements import target_description
from trajectories.models import Step
from trajectories.shell.text import long_text
from trajectories.shell.text.actions import action_phrase, element_more, pretty
from trajectories.shell.text.formulas import first_line_to_text
from trajectories.shell.text.long_text import Shown
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

URL_CHARS = 4_000
MESSAGE_CHARS = 10_000
SUMMARY_CHARS = 120
OF_PROGRAMS = frozenset({"element_ids"})
"""Posted fields that only programs use; readers do not see them."""


@dataclass(frozen=True, kw_only=True)
class StepTexts:
    """A step's texts, each cut and escaped, with the matches of ``find`` highlighted."""

    step: Step
    find: str = ""

    @cached_property
    def thought(self) -> Shown:
        return long_text.shown(self.step.thought, find=self.find)

    @property
    def hidden_thought(self) -> str:
        """The notice that replaces hidden reasoning; empty if the reasoning is not hidden."""
        if not self.step.has_hidden_thought:
            return ""
        usage = self.step.more.get("usage") or {}
        length = f" ({usage['reasoning']:,} tokens)" if usage.get("reasoning") else ""
        return f"The model reasoned out of sight{length}: its endpoint does not show the text."

    @cached_property
    def url(self) -> Shown:
        return long_text.shown(mask_tokens(self.step.url)[:URL_CHARS], find=self.find)

    @cached_property
    def result_message(self) -> Shown:
        """The action's result message, as the model read it."""
        message = self.step.more.get("result_message") if self.step.more else None
        return long_text.shown(mask_tokens(message)[:MESSAGE_CHARS] if isinstance(message, str) else "")

    @cached_property
    def tree(self) -> Shown:
        return long_text.shown(self.step.observation_text, find=self.find)

    @cached_property
    def raw(self) -> Shown:
        return long_text.shown(self.step.raw, find=self.find)

    @cached_property
    def action(self) -> Shown:
        return long_text.shown(pretty(self.step.action) if self.step.action else "", find=self.find)

    @cached_property
    def more(self) -> Shown:
        """All other posted fields of interest to readers, as JSON; the search does not cover them."""
        shown = {name: value for name, value in (self.step.more or {}).items() if name not in OF_PROGRAMS}
        return long_text.shown(pretty(shown) if shown else "")

    @property
    def summary(self) -> str:
        """The first line of the thought, for screen readers."""
        return first_line_to_text(self.step.thought[:BEGINNING_FETCHED], SUMMARY_CHARS)

    @cached_property
    def target(self) -> str:
        """The description of the action's element; empty if the observation does not show it."""
        return target_description(self.step.action, observation=self.step.observation_text)

    @cached_property
    def element(self) -> str:
        """The observation's line with the action's target, if it contains more than the description."""
        return element_more(self.step.action, in_observation=self.step.observation_text)

    @property
    def is_match_in_view(self) -> bool:
        """True if a match is visible without opening a panel."""
        phrase = action_phrase(self.step.action, target=self.target)
        return any("<mark>" in text.html for text in (self.thought, self.url)) or phrase.holds(self.find)
