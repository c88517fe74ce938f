"""The settings of an episode: observations, grammar and budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palaestra.observation import MAX_CHARS, get_format
from palaestra.protocol.arms import arm_of
from palaestra.protocol.observations import Scope
from palaestra.protocol.offers import Conditions, conditions_of
from palaestra.thoughts import Tags, tags_check


@dataclass(frozen=True, kw_only=True)
class EpisodeConfig:
    """The settings of an episode.

    ``history`` names a policy from ``palaestra.turn.histories``. ``token_budget`` limits the completion
    tokens and ``prompt_token_budget`` the tokens of all prompts, as counted in the model's usage;
    ``invalid_limit`` is the limit of consecutive unreadable actions. ``with_pictures`` records a screenshot
    with every step. ``thought_tags`` are pairs of marks around a model's thoughts, in addition to those that
    ``palaestra.thoughts`` knows. A fork's page is compared with the parent's page at the fork
    (``fork_check="last"``) or at every step up to the fork (``"all"``). Raises ``ValueError`` for
    ``thought_tags`` that are not pairs.
    """

    observation: str = "axtree"
    scope: Scope = "page"
    max_chars: int = MAX_CHARS
    picture_max: int | None = None
    grammar: str = "json"
    history: str = "full"
    answer_channel: str = "page"
    actions_per_turn: int = 1
    token_budget: int | None = None
    prompt_token_budget: int | None = None
    invalid_limit: int | None = None
    with_pictures: bool = False
    thought_tags: Sequence[Tags] = ()
    fork_check: Literal["last", "all"] = "last"

    def __post_init__(self) -> None:
        tags_check(self.thought_tags)

    @property
    def observation_settings(self) -> dict[str, Any]:
        """The settings that differ from the defaults; a run stores them along with the observation format."""
        names = ("scope", "max_chars", "picture_max")
        return {name: own for name in names if (own := getattr(self, name)) != getattr(EpisodeConfig, name)}

    def conditions(self, arm_id: str, *, is_site: bool, has_tools: bool) -> Conditions:
        """Return the conditions that decide which actions an episode of an arm offers."""
        arm, form = arm_of(arm_id), get_format(self.observation)
        return conditions_of(
            has_page=arm.has_page,
            has_ids=form.has_ids,
            has_positions=form.has_screenshot,
            has_outline=form.has_text,
            is_site=is_site,
            answer_channel="api" if arm.is_probe else self.answer_channel,
            actions_per_turn=self.actions_per_turn,
            has_tools=has_tools,
        )
