"""The set-ups in which models play an arm, and descriptions of how set-ups differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from core.episodes import answer_check
from palaestra.protocol.arms import ARMS, Arm
from palaestra.protocol.observations import OBSERVATION_FORMATS, settings_of
from trajectories.models import Run
from trajectories.reports.episode_rows import Conditions
from trajectories.reports.ladder import RUNGS, ArmKey

# The values of each part of a set-up, which are several if one run mixes them.
Setup = Mapping[str, Sequence[str]]

# A comparison of two arms needs the same values of these parts, and of those that `setup_of` adds. Some parts
# apply only to agents or only to pages. docs/modality-gap.md explains which parts may differ, and why.
OF_AGENTS = ("grammar", "history", "actions_per_turn")
OF_PAGES = ("observation",)
OF_PICTURES = ("observation", "observation settings")


# The parts of a question, besides its look, that the opening call may fix, with the arms that show them.
CONTENT: Mapping[str, Callable[[Arm], bool]] = {
    "choices": lambda _: True,
    "instruction": lambda _: True,
    "text": lambda arm: arm.has_text,
    "task_bar": lambda arm: arm.has_page,
}
# The settings of a run that its harness uses, which are known only if the harness states them.
STATED = ("sampling", "prompt_token_budget")
DRAWN = "by default"


def setup_of(run: Run, *, arm: str, conditions: Iterable[Conditions]) -> Setup:
    """Return the set-up of a run in an arm, by part. Parts that do not apply to the arm are left out."""
    made, shown = list(conditions), ARMS[arm]
    setup = {
        "model": [run.model],
        "checkpoint": [run.checkpoint],
        "simulated": ["yes" if run.simulated else "no"],
        # Training uses the strict verifier, reorders choices and withholds asserts.
        "kind": ["train" if run.kind == Run.Kind.TRAIN else "eval"],
        "policy version": _values(condition.policy_version for condition in made),
        "prompt version": sorted({condition.prompts for condition in made}),
        "token budget": _values(condition.token_budget for condition in made),
        "tools": [", ".join(sorted(run.tools)) if shown.has_form else ""],
        "answer check": [str(run.settings.get(answer_check.SETTING) or "none")],
    }
    setup |= {
        name.replace("_", " "): [_stated(run.settings[name])] for name in STATED if name in run.settings
    }
    fixed = [json.loads(condition.content or "{}") for condition in made]
    for axis in (axis for axis, is_shown in CONTENT.items() if is_shown(shown)):
        setup[axis.replace("_", " ")] = sorted({str(content.get(axis, DRAWN)) for content in fixed})
    if shown.has_examples:
        setup["examples"] = _values(condition.examples for condition in made)
    if not shown.is_free_text:
        setup |= {name: [str(getattr(run, name))] for name in OF_AGENTS}
        setup["step limit"] = _values(condition.step_limit for condition in made)
    if shown.has_page:
        setup |= {name: [str(getattr(run, name))] for name in OF_PAGES}
        setup["observation settings"] = [_settings(run.observation_settings)]
    if shown.has_form:
        setup["answer channel"] = sorted({condition.answer_channel for condition in made})
    return setup


def mixture(setups: Iterable[Setup]) -> str:
    """Describe how the set-ups of one arm's episodes differ; the text is empty if they are all the same."""
    parts: dict[str, set[str]] = {}
    for setup in setups:
        for name, values in setup.items():
            parts.setdefault(name, set()).update(values)
    return "; ".join(
        f"{name} {words_of(sorted(values))}" for name, values in parts.items() if len(values) > 1
    )


def difference(a: Setup, b: Setup, *, compared: Collection[str] = ()) -> str:
    """Describe how two set-ups differ, except in the parts in ``compared``; empty if they do not.

    Parts that only one of them has are ignored.
    """
    shared = [name for name in a if name in b and a[name] != b[name] and name not in compared]
    return "; ".join(f"{name} {words_of(a[name])} and {words_of(b[name])}" for name in shared)


def unseen(setup: Setup, *, arm: str) -> str:
    """Return the reason why an arm's question cannot be seen, or an empty string if it can."""
    if not (ARMS[arm].is_pictured and ARMS[arm].has_page):
        return ""
    blind = [name for name in setup["observation"] if not _has_picture(name)]
    return f"its question is a picture, which {words_of(blind)} does not show" if blind else ""


def off_plan(setup: Setup, plan: Mapping[str, Any], key: ArmKey) -> list[str]:
    """List the deviations of an arm's set-up from the plan."""
    observation = key.observation or plan["observation"]
    form = OBSERVATION_FORMATS.get(observation)
    settings = plan["observation_settings"]
    planned = {
        "model": plan["model"]["name"],
        "checkpoint": plan["model"]["checkpoint"] or "",
        **{name: str(plan[name]) for name in OF_AGENTS},
        "token budget": str(plan["token_budget"] or "none"),
        "answer check": str(plan.get(answer_check.SETTING) or "none"),
        "sampling": _stated(plan["model"]["sampling"]),
        "observation": observation,
        "observation settings": _settings(settings_of(settings, form) if form else settings),
    }
    return [
        f"{name} is {words_of(setup[name])}, planned {value}"
        for name, value in planned.items()
        if value and name in setup and list(setup[name]) != [value]
    ]


def words_of(values: Iterable[str]) -> str:
    return " and ".join(value or "none" for value in values)


def _has_picture(observation: str) -> bool:
    """Return whether an observation shows pages as pictures.

    An unknown observation counts as showing them, because runs without an observation open no such episode.
    """
    known = OBSERVATION_FORMATS.get(observation)
    return known is None or known.has_screenshot


def arm_order(keys: Iterable[ArmKey]) -> list[ArmKey]:
    """Sort arms: first the ladder from its base, then the others, each followed by its retest."""
    order = [*RUNGS, *(arm for arm in ARMS if arm not in RUNGS)]
    return sorted(keys, key=lambda key: (order.index(key.arm), key.observation, key.retest))


def _values(values: Iterable[int | None]) -> list[str]:
    return sorted({"none" if value is None else str(value) for value in values})


def _stated(value: Any) -> str:
    """Return a setting as text, whatever a harness stored under its name."""
    if value is None:
        return "none"
    return _settings(value) if isinstance(value, dict) else str(value)


def _settings(settings: Mapping[str, Any]) -> str:
    """Return settings as text, such as ``max_chars 5000, scope viewport``, or ``default`` without any."""
    return ", ".join(f"{name} {value}" for name, value in sorted(settings.items())) or "default"
