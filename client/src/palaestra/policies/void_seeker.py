"""A policy that tries everything to get a void verdict. Its void rate must be the same as the solver's."""

from __future__ import annotations

from collections.abc import Callable

from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.question_page import page_read
from palaestra.policies.submission import format_free_text
from palaestra.protocol.arms import arm_of

MEGABYTE = "9" * 1_000_000
HUGE = MEGABYTE * 10
QUITS_AT = 4
NESTED = "\\frac{1}{" * 5_000 + "2" + "}" * 5_000
# Answers that may hang or crash a verifier, or be rejected by the database.
ANSWERS = (
    "9**9**9**9",
    "10^{10^{10^{10}}}",
    "factorial(factorial(99999))",
    HUGE,
    NESTED,
    "\x00\x01\x02",
    "42\u202e24\ufeff",
    "\ud800",
    "__import__('os').kill(0, 9)",
    "\\sum_{n=1}^{10^{9}} \\prod_{k=1}^{10^9} k^n",
    "{" * 10_000,
    "[" * 10_000 + "]" * 10_000,
    "1/0",
    "NaN",
    "oracle_answer",
)
# Actions that may take down the page, the browser or the harness.
ACTIONS = (
    action_line("goto", url="http://127.0.0.1:8001/api/v1/episodes"),
    action_line("goto", url="javascript:window.close()"),
    action_line("goto", url="chrome://crash"),
    action_line("goto", url="file:///etc/passwd"),
    action_line("goto", url="view-source:https://gym/"),
    action_line("goto", url="https://gym/../../healthz"),
    action_line("press", key="Control+w"),
    action_line("press", key="F11"),
    action_line("back"),
    action_line("wait", ms=10**8),
    action_line("scroll", dy=10**300),
    action_line("type", target="e1", text=HUGE),
    action_line("type", target="e1", text="\x00"),
    action_line("answer", text="void"),
    action_line("click", target="e999999"),
    action_line("select", target="e1", value="x"),
    action_line("no_such_action"),
    'Action: {"type": "click", "target": ',
    "Action: " + "[" * 50_000,
    'Action: {"type": "noop", "x": ' + '{"x": ' * 600 + "1" + "}" * 600 + "}",
    "no action at all",
    "",
    "\x00\ud800" * 1_000,
    HUGE,
)


class VoidSeeker:
    """Uses one attack per episode, in turn: a hostile answer, hostile actions, or submitting twice."""

    name = "void_seeker"
    simulated = True

    def __init__(self) -> None:
        self._started = 0

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        if "number" not in episode.memory:
            episode.memory["number"] = self._started
            self._started += 1
        number: int = episode.memory["number"]
        if arm_of(episode.arm).is_free_text:
            answer = ANSWERS[number % len(ANSWERS)]
            return f"I try answer number {number}.\n{format_free_text((answer,), episode.answer_form)}"
        attempt = _ATTEMPTS[number % len(_ATTEMPTS)]
        return attempt(observation, episode, number // len(_ATTEMPTS))


def _hostile_answer(observation: Observation, episode: EpisodeInfo, number: int) -> str:
    answer = ANSWERS[number % len(ANSWERS)]
    page = page_read(observation)
    if page.submit is None:
        return f"I try answer number {number}.\n{action_line('answer', text=answer)}"
    if page.fields and not episode.memory.get("turns"):
        episode.memory["turns"] = 1
        typing = action_line("type", target=page.fields[0], text=answer[:90_000])
        return f"I try answer number {number}.\n{typing}"
    return f"And I submit it.\n{action_line('click', target=page.submit)}"


def _hostile_actions(observation: Observation, episode: EpisodeInfo, number: int) -> str:
    action = ACTIONS[(number * episode.max_steps + episode.step - 1) % len(ACTIONS)]
    return f"I try attempt number {episode.step}.\n{action}"


def _submit_twice(observation: Observation, episode: EpisodeInfo, number: int) -> str:
    page = page_read(observation)
    if page.submit is None:
        return f"I answer.\n{action_line('answer', text=str(episode.step))}"
    turns: int = episode.memory.get("turns", 0)
    episode.memory["turns"] = turns + int(page.has_form)
    if turns == 0:
        act = (
            action_line("type", target=page.fields[0], text="1")
            if page.fields
            else action_line("click", target=page.radios[0].id if page.radios else page.submit)
        )
        return f"I give some answer.\n{act}"
    if turns == 1:
        return f"I send it by the keyboard.\n{action_line('press', key='Enter')}"
    return f"And once more.\n{action_line('click', target=page.submit)}"


def _hostile_actions_then_quit(observation: Observation, episode: EpisodeInfo, number: int) -> str | None:
    return _hostile_actions(observation, episode, number + 1) if episode.step < QUITS_AT else None


_ATTEMPTS: tuple[Callable[[Observation, EpisodeInfo, int], str | None], ...] = (
    _hostile_answer,
    _hostile_actions,
    _submit_twice,
    _hostile_actions_then_quit,
)
