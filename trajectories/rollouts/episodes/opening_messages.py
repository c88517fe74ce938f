"""The messages that opened an episode, rebuilt from its template."""

from __future__ import annotations

from dataclasses import replace

from trajectories.models import Episode
from trajectories.record.prompts import conversation, interface
from trajectories.record.prompts.templates import Template
from trajectories.rollouts.episodes import few_shot, guidance

FORK = "fork"
"""Setting of a group of forks: the parent, the last inherited step, and the budgets stated in the prompts."""
HIDDEN_REPLY = "(a solution, visible to users who may see golds)"


def opening_messages(
    episode: Episode, *, with_solutions: bool, with_guidance: bool = False
) -> list[conversation.Message]:
    """Rebuild an episode's opening messages; empty if its template is not one of ours.

    The solutions of few-shot examples and the text of guidance are shown only on request. Raises ``GymError``
    if a site was drawn with a salt that this installation does not have.
    """
    messages = build_unguided_messages(episode, with_solutions=with_solutions)
    insert = guidance.build_insert(episode, is_shown=with_guidance)
    return guidance.guided(messages, insert)[0] if messages else []


def build_unguided_messages(episode: Episode, *, with_solutions: bool) -> list[conversation.Message]:
    """Rebuild an episode's opening messages as ``opening_messages`` does, but without guidance."""
    template = episode.group.template
    if not Template(template).is_known:
        return []
    task = episode.task
    # A fork's prompt states the budgets of the first episode of its line, whatever its own budgets are.
    budgets = episode.group.settings.get(FORK) or {
        "max_steps": episode.max_steps,
        "token_budget": episode.token_budget,
    }
    question = conversation.question_of(
        kind=task.kind, prompt=task.prompt, payload=task.payload, variation=episode.variation
    )
    return conversation.messages_for(
        template=template,
        setup=interface.setup_of(episode.run, arm=episode.arm, channel=episode.answer_channel),
        question=question,
        max_steps=budgets["max_steps"],
        token_budget=budgets["token_budget"],
        examples=_examples(episode, with_solutions=with_solutions),
    )


def _examples(episode: Episode, *, with_solutions: bool) -> list[conversation.Example]:
    ids = episode.group.examples or []
    solved = few_shot.Examples(solved=few_shot.load_solved(set(ids), run=episode.run)).list_solved(ids)
    return solved if with_solutions else [replace(one, reply=HIDDEN_REPLY) for one in solved]
