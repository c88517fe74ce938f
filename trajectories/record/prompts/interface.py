"""The description that an agent reads of its interface: observations, actions and their syntax."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from palaestra.protocol.actions import ACTION_SPECS
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.arms import ARMS, Arm
from palaestra.protocol.grammars import GRAMMARS, Grammar
from palaestra.protocol.histories import History, history_read
from palaestra.protocol.observations import OBSERVATION_FORMATS, SCOPES, ObservationFormat
from palaestra.protocol.offers import Conditions, actions_offered, conditions_of, example_of, fields_offered
from trajectories.models import Run
from trajectories.record.prompts.templates import Words

CACHE_SIZE = 512


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The interface of a run's model in one arm.

    ``channel`` (``page``, ``api``) is where the answer is submitted; ``scope`` (``page``, ``viewport``) is
    the part of the page that an outline covers.
    """

    arm: Arm
    observation: ObservationFormat
    grammar: Grammar
    history: History
    actions_per_turn: int = 1
    channel: str = "page"
    scope: str = SCOPES[0]

    def conditions(self, *, is_site: bool, has_tools: bool = False) -> Conditions:
        """Return the conditions that decide which actions are offered."""
        return conditions_of(
            has_page=self.arm.has_page,
            has_ids=self.observation.has_ids,
            has_positions=self.observation.has_screenshot,
            has_outline=self.observation.has_text,
            is_site=is_site,
            answer_channel=self.channel,
            actions_per_turn=self.actions_per_turn,
            has_tools=has_tools,
        )


def setup_of(run: Run, *, arm: str, channel: str) -> Setup:
    """Return the set-up of a run's episodes. A run without an observation is treated as having outlines."""
    return Setup(
        arm=ARMS[arm],
        observation=OBSERVATION_FORMATS.get(run.observation) or next(iter(OBSERVATION_FORMATS.values())),
        grammar=GRAMMARS[run.grammar],
        history=history_read(run.history),
        actions_per_turn=run.actions_per_turn,
        channel=channel,
        scope=run.observation_settings.get("scope", SCOPES[0]),
    )


@lru_cache(maxsize=CACHE_SIZE)
def agent_blocks(
    words: Words, setup: Setup, *, form: AnswerForm, is_site: bool, has_tools: bool, max_steps: int
) -> tuple[str, ...]:
    """Return the paragraphs of the interface block for an arm in which the model acts.

    They are cached, because tasks that are opened together mostly share them and building them was most of
    the work of making a prompt.
    """
    conditions = setup.conditions(is_site=is_site, has_tools=has_tools)
    return tuple(
        _blocks(words, setup, form=form, is_site=is_site, conditions=conditions, max_steps=max_steps)
    )


def _blocks(
    words: Words, setup: Setup, *, form: AnswerForm, is_site: bool, conditions: Conditions, max_steps: int
) -> Iterator[str]:
    has_page = setup.arm.has_page
    several = words.acts_several if has_page and setup.actions_per_turn > 1 else {}
    act = several.get(setup.grammar.id) or words.acts[setup.grammar.id]
    yield words.turns["page" if has_page else "no_page"].format(act=act)
    if has_page:
        yield " ".join(_page(words, setup, is_site=is_site))
    if not setup.grammar.has_tools:
        lines = _action_lines(words, setup, form=form, conditions=conditions)
        yield "\n".join([words.lessons.get(setup.grammar.id, words.lessons["json"]), *lines])
    yield " ".join(_submission(words, setup, form))
    yield " ".join(_limits(words, setup, max_steps=max_steps))


def _page(words: Words, setup: Setup, *, is_site: bool) -> Iterator[str]:
    """Yield sentences on how the page is shown and how an action refers to positions and elements."""
    yield words.observations[_seen(setup)]
    if is_site and setup.observation.has_text:
        yield words.shortened["site"]
    yield words.aims[_aim(setup)]


def _seen(setup: Setup) -> str:
    name = setup.observation.id.partition("-")[0]
    return f"{name}_{setup.scope}" if setup.observation.has_text and setup.scope != SCOPES[0] else name


def _aim(setup: Setup) -> str:
    if setup.grammar.is_by_position or not setup.observation.has_ids:
        return "positions"
    return "either" if setup.observation.has_screenshot else "ids"


def _action_lines(words: Words, setup: Setup, *, form: AnswerForm, conditions: Conditions) -> Iterator[str]:
    """Yield a line for each offered action, in the grammar's syntax."""
    if setup.grammar.id == "browsergym":
        offered = actions_offered(conditions)
        for call in words.calls:
            if call.type in offered and conditions.issuperset(call.needs):
                written = call.values if form == "values" and call.values else call.call
                yield f"- {written}: {call.does or ACTION_SPECS[call.type].description}"
        return
    for action_id in actions_offered(conditions):
        if action_id == "sequence" and setup.grammar.id in words.acts_several:
            continue  # Such grammars have their own syntax for several actions.
        example = example_of(action_id, conditions)
        if action_id == "answer" and form == "values":
            example = {**example, "text": ["...", "..."]}
        line = f"- {json.dumps(example, ensure_ascii=False)}: {ACTION_SPECS[action_id].description}"
        optional = "; ".join(_optional(action_id, example, conditions))
        yield f"{line} Optional: {optional}." if optional else line


def _optional(action_id: str, example: dict[str, Any], conditions: Conditions) -> Iterator[str]:
    """Describe the optional fields that the example leaves out.

    Fields of positions are left out too, because they are described with the observation.
    """
    for field in fields_offered(action_id, conditions):
        if field.name not in example and field.needs != "positions":
            words = field.description.rstrip(".")
            yield f'"{field.name}" ({words[0].lower()}{words[1:]})'


def _submission(words: Words, setup: Setup, form: AnswerForm) -> Iterator[str]:
    takes = setup.channel if setup.arm.has_page else "no_page"
    yield words.submissions[takes].format(answer=words.names.get(setup.grammar.id, '"answer"'))
    if takes != "page" and form == "values":
        yield words.submissions["values"]


def _limits(words: Words, setup: Setup, *, max_steps: int) -> Iterator[str]:
    yield words.limits["turns"].format(max_steps=max_steps)
    if setup.arm.has_page and setup.actions_per_turn > 1:
        yield words.limits["actions"].format(actions=setup.actions_per_turn)
    if setup.arm.has_page:
        name = "last_one" if setup.history.number == 1 else setup.history.policy.id
        yield words.histories[name].format(number=setup.history.number)
        if setup.observation.has_text:
            yield words.histories["sections"]
