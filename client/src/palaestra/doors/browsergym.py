"""The door for BrowserGym: ``tasks_register`` registers tasks as ``browsergym/palaestra.<benchmark>.<id>``.

They are played in BrowserGym's own browser. ``gymnasium.make(names[0])`` returns a ``PalaestraEnv``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import gymnasium
import msgspec
from browsergym.core.env import BrowserEnv
from browsergym.core.task import AbstractBrowserTask
from browsergym.utils.obs import flatten_axtree_to_str
from PIL import Image

from palaestra.api import Client
from palaestra.api.background import VERDICT_LIMIT_S, verdict_wait
from palaestra.api.reward_calls import describe_unpaid, find_reward, rewards_read
from palaestra.doors.browsergym_calls import classify_error, parse_declared
from palaestra.doors.loop_thread import LoopThread, run_blocking
from palaestra.doors.rollouts import key_read
from palaestra.errors import PalaestraError, VoidEpisode
from palaestra.foreign import ForeignEpisode
from palaestra.pages.bounds import DONE_PATH
from palaestra.pages.surface import VIEWPORT
from palaestra.records import StepObservation, Task, Verdict
from palaestra.turn.steps import text_clean

Judged = tuple[float, bool, str, dict[str, Any]]

FIRST_PAGE_MS = 30_000
SETTLED = "html[data-settled=true]"
OBSERVATION = "browsergym-axtree"
ON_PAGE = "Submit your final answer through the page, once: only the first submission counts."
BY_MESSAGE = "Submit your final answer as a message to the user, once; the page takes no answers."
STEPS = "You have {} steps."
# The episode's masked address in an action that opens it, as observations show it.
MASKED_ADDRESS = re.compile(r"""(\bgoto\(\s*(?:url\s*=\s*)?["'])https?://gym/""")
# Proxy for all addresses except the arena's; nothing listens there, so they cannot be reached.
DEAD_PROXY = "http://127.0.0.1:9"
# Format of the messages in which AgentLab writes an agent's thought and action to the chat.
ACTION_WORDS = re.compile(r"\s*action:\n(?P<action>.*)\n\Z", re.DOTALL)
NOTHING = "None"
# The child indexes from the root to an element, as the pages' recorder writes them.
FIND_PATH = """bid => {
  const element = document.querySelector(`[bid="${CSS.escape(bid)}"]`);
  const places = [];
  for (let at = element; at && at.parentElement; at = at.parentElement)
    places.push([...at.parentElement.children].indexOf(at));
  return places.reverse().join("/");
}"""


class PalaestraTask(AbstractBrowserTask):
    """A Palaestra task on its page.

    The reward is that of the recorded verdict, or the total that ``reward_profile`` pays, whose components
    are in the last ``task_info["rewards"]``. A void verdict raises ``VoidEpisode``.

    Repetitions of a task with the same ``round_`` form one group, whichever processes play them; ``sample``
    numbers them. ``group`` is the number of a group to join. The look is drawn by ``look_seed`` if that is
    given, or by BrowserGym's ``seed`` if there is no round. Other keywords are those of ``ForeignEpisode``;
    with ``answer_channel="api"`` a message to the user is the answer. The key is read from ``PALAESTRA_KEY``.
    """

    def __init__(
        self,
        seed: int | None,
        *,
        server: str,
        run: int,
        task: int,
        round_: str | None = None,
        sample: int = 0,
        look_seed: int | None = None,
        reward_profile: str | None = None,
        **opening: Any,
    ) -> None:
        super().__init__(seed)
        self._reward_profile = reward_profile
        self.slow_mo = 0
        self.viewport = dict(zip(("width", "height"), VIEWPORT, strict=True))
        drawn = seed if look_seed is None and round_ is None else look_seed
        self._server, self._round, self._sample = server, round_, sample
        self._opening = {"run": run, "task": task, "seed": drawn, **opening}
        self._is_by_message = opening.get("answer_channel") == "api"
        self._loop = LoopThread()
        self.episode: ForeignEpisode | None = None
        self.is_ended_by_agent = False
        self._check = ""  # the gym's request that the agent check its first answer

    @classmethod
    def get_task_id(cls) -> str:
        return "palaestra"

    @property
    def opened(self) -> ForeignEpisode:
        """The open episode. Raises ``PalaestraError`` before ``reset``."""
        if self.episode is None:
            raise PalaestraError("There is no open episode: call reset() first.")
        return self.episode

    def setup(self, page: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        goal = self._loop.call(self._open())
        page.goto(self.opened.start_url, timeout=FIRST_PAGE_MS)
        page.wait_for_selector(SETTLED, state="attached", timeout=FIRST_PAGE_MS)
        return goal, {"episode": self.opened.id, "group": self.opened.group}

    def validate(self, page: Any, chat_messages: list[dict[str, Any]]) -> Judged:
        """Return the reward, whether the episode has ended, a message to the agent, and ``task_info``.

        Raises ``VoidEpisode`` if an ended episode has no reward.
        """
        is_done = page.url.startswith(self.opened.bounds.root + DONE_PATH)
        judged = self._loop.call(self._read_verdict(chat_messages, is_done=is_done))
        if judged is None:
            # BrowserGym adds the message to the chat, so the first answer is no longer the last message.
            is_new = bool(chat_messages) and chat_messages[-1]["role"] == "assistant"
            return 0.0, False, self._check if is_new else "", {}
        paying = rewards_read(
            self.opened.client, self.opened.id, verdict=judged, profile=self._reward_profile
        )
        rewards = self._loop.call(paying)
        reward = find_reward(judged, rewards)
        if reward is None:
            raise VoidEpisode(describe_unpaid(self.opened.id, judged, rewards), rewards)
        verdict = {"outcome": judged.outcome, "reason": judged.reason, "truncated": judged.truncated}
        paid = {"rewards": msgspec.to_builtins(rewards)} if rewards is not None else {}
        return reward, True, "", {"episode": self.opened.id, "group": self.opened.group, **verdict, **paid}

    def teardown(self) -> None:
        if self._loop.is_running:
            self._loop.call(self._close())
            self._loop.end()

    # ---- turns, which only the environment sees
    def turn_begin(self, text: str, *, page: Any, **fields: Any) -> None:
        """Record the beginning of a step: its text, the action in it, and the observation's ``fields``."""
        declared = parse_declared(text, is_answered_by_message=self._is_by_message)
        aim = page.evaluate(FIND_PATH, declared.bid) if declared.bid else ""
        unreadable = {} if declared.action else {"parse_error": "BrowserGym finds no call in this text."}
        self._loop.call(
            self._step(
                raw=text,
                action=declared.action,
                parsed=declared.action is not None,
                url=page.url,
                target_path=aim or None,
                **unreadable,
                **fields,
            )
        )

    def turn_end(self, error: str) -> None:
        """Record the action's outcome, which follows from BrowserGym's error message."""
        self.opened.outcome(classify_error(error), error)

    # ---- inside
    async def _step(self, **fields: Any) -> None:
        self.opened.step(**fields)

    async def _open(self) -> list[dict[str, Any]]:
        if self._round is not None:
            self._opening |= await self._shared_group(f"{self._round}-{self._opening['task']}")
        self.episode = await ForeignEpisode(self._server, key_read(), **self._opening).__aenter__()
        messages = await self.episode.client.messages_inline(self.episode.messages)
        return build_goal(messages, BY_MESSAGE if self._is_by_message else ON_PAGE, self.episode.max_steps)

    async def _shared_group(self, name: str) -> dict[str, Any]:
        """Return the keywords with which an episode joins the group of this round.

        All processes open the group with the same idempotency key, so that the first one creates it and the
        others get the same group. The group's first episode is for sample 0.
        """
        opening = {"arm": "gym", "recording": "full", **self._opening, "idempotency_key": name}
        async with Client(self._server, key_read()) as client:
            first = (await client.episodes_open(tasks=[opening.pop("task")], **opening)).episodes[0]
            state = await client.episode(first.id)
        is_free = self._sample == 0 and state.status == "open" and not state.steps_used
        return {"idempotency_key": name} if is_free else {"group": first.group}

    async def _read_verdict(self, chat_messages: list[dict[str, Any]], *, is_done: bool) -> Verdict | None:
        episode = self.opened
        await episode.flush()
        last = chat_messages[-1] if chat_messages else {"role": "", "message": ""}
        if last["role"] == "infeasible":
            await episode.stop("agent_stopped", last["message"])
        elif self._is_by_message and last["role"] == "assistant":
            answer, number = text_clean(last["message"]), 2 if self._check else 1
            ack = await episode.client.submission_post(episode.id, answer=answer, number=number)
            if ack.check is not None:
                self._check = ack.check
                return None
        elif not is_done and (await episode.client.episode(episode.id)).status == "open":
            return None
        verdict = await verdict_wait(episode.client, episode.id, limit_s=VERDICT_LIMIT_S)
        if verdict is None:
            raise PalaestraError(f"Episode {episode.id} has ended, and no verdict came in time.")
        return verdict

    async def _close(self) -> None:
        if self.episode is not None:
            # The reason is unknown and may be a failure of the model, which must not count as a wrong answer.
            await self.episode.stop("agent_stopped" if self.is_ended_by_agent else "cancelled")
            await self.episode.__aexit__(None, None, None)


class PalaestraEnv(BrowserEnv):
    """BrowserGym's environment, extended to record its actions as steps.

    It masks the episode's token and can only reach the arena, unless ``pw_chromium_kwargs`` has a ``proxy``.
    A message that is added to the chat as ``info`` before an action, as AgentLab does, is recorded as the
    thought: ``env.unwrapped.chat.add_message("info", thought)``. ``with_pictures`` also records the
    screenshots. With ``options={"group": number}`` a reset opens one more sample of that group.
    ``task_kwargs`` are keywords of ``PalaestraTask``; all other keywords are BrowserGym's.
    """

    def __init__(self, *, with_pictures: bool = False, **settings: Any) -> None:
        self._browser: dict[str, Any] = dict(settings.pop("pw_chromium_kwargs", {}))
        super().__init__(PalaestraTask, pw_chromium_kwargs=self._browser, **settings)
        self._with_pictures = with_pictures
        self._note = ""
        self._recorded_fields: dict[str, Any] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self.task_kwargs.pop("group", None)
        self.task_kwargs.update({name: value for name, value in (options or {}).items() if name == "group"})
        self._note, self._recorded_fields = "", {}
        if "proxy" not in self._browser:
            self._browser["proxy"] = build_proxy(self.task_kwargs["server"])
        observation, info = super().reset(seed=seed)
        self._hook_chat()
        return observation, info

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        thought, self._note = parse_thought(self._note), ""
        self.task.turn_begin(action, page=self.page, thought=thought, **self._recorded_fields)
        real = MASKED_ADDRESS.sub(lambda match: match[1] + self.task.opened.bounds.root, action)
        observation, reward, is_over, _, info = super().step(real)
        is_truncated = bool(info["task_info"].get("truncated"))
        return observation, reward, is_over and not is_truncated, is_truncated, info

    def close(self) -> None:
        if self.task is not None:
            words = ACTION_WORDS.search(self._note)
            self.task.is_ended_by_agent = words is not None and words["action"] == NOTHING
        super().close()

    # ---- inside
    def _task_validate(self) -> Any:
        self.task.turn_end(self.last_action_error)
        return super()._task_validate()

    def _get_obs(self) -> dict[str, Any]:
        observation: dict[str, Any] = super()._get_obs()
        mask = self.task.opened.bounds.mask
        dom = observation.pop("dom_object", None)
        masked: dict[str, Any] = {name: map_strings(value, mask) for name, value in observation.items()}
        if dom is not None:
            masked["dom_object"] = {**dom, "strings": map_strings(dom["strings"], mask)}
        self._recorded_fields = self._build_fields(masked)
        return masked

    def _build_fields(self, observation: Mapping[str, Any]) -> dict[str, Any]:
        """Return the step fields that record an observation."""
        fields: dict[str, Any] = {}
        if "axtree_object" in observation:
            text = text_clean(flatten_axtree_to_str(observation["axtree_object"]))
            fields["observation"] = StepObservation(kind=OBSERVATION, text=text)
        if self._with_pictures and "screenshot" in observation:
            picture = io.BytesIO()
            Image.fromarray(observation["screenshot"]).save(picture, "PNG")
            fields["screenshot"] = picture.getvalue()
        return fields

    def _hook_chat(self) -> None:
        add = self.chat.add_message

        def add_and_keep(role: str, msg: str) -> None:
            if role == "info":
                self._note = msg
            add(role=role, msg=msg)

        self.chat.add_message = add_and_keep


def build_proxy(server: str) -> dict[str, str]:
    """Return proxy settings with which the browser can only reach the arena."""

    async def read() -> str:
        async with Client(server, key_read()) as client:
            return (await client.health()).arena_url

    # Chromium bypasses the proxy for loopback addresses unless the rule "<-loopback>" is given.
    return {"server": DEAD_PROXY, "bypass": f"<-loopback>,{urlsplit(run_blocking(read())).netloc}"}


def tasks_register(server: str, *, run: int, limit: int = 100, **keywords: Any) -> list[str]:
    """Register tasks with Gymnasium and return their names for ``gymnasium.make``.

    The keywords ``benchmark``, ``split``, ``tag`` and ``ids`` select tasks; all others are passed to
    ``PalaestraTask``. The key is read from ``PALAESTRA_KEY``. Raises ``PalaestraError`` if there is none.
    """
    filters = {name: keywords.pop(name) for name in ("benchmark", "split", "tag", "ids") if name in keywords}
    tasks = tasks_read(server, limit=limit, **filters)
    return [
        task_register(format_name(task), server=server, run=run, task=task.id, **keywords) for task in tasks
    ]


def task_register(name: str, **task_kwargs: Any) -> str:
    """Register a task under a name, replacing any other; ``task_kwargs`` are passed to ``PalaestraTask``."""
    id_ = f"browsergym/{name}"
    gymnasium.registry.pop(id_, None)
    entry = f"{__name__}:{PalaestraEnv.__name__}"
    gymnasium.register(id_, entry_point=entry, nondeterministic=True, kwargs={"task_kwargs": task_kwargs})
    return id_


def tasks_read(server: str, *, limit: int, **filters: Any) -> list[Task]:
    """Return the tasks that match the filters. Raises ``PalaestraError`` if ``PALAESTRA_KEY`` is not set."""

    async def read() -> list[Task]:
        async with Client(server, key_read()) as client:
            return await client.tasks(limit=limit, **filters)

    return run_blocking(read())


def format_name(task: Task) -> str:
    return f"palaestra.{task.benchmark}.{task.id}"


def build_goal(messages: list[dict[str, Any]], submission: str, max_steps: int) -> list[dict[str, Any]]:
    """Return the goal for BrowserGym: the instruction and the task's message, without Palaestra's grammar."""
    system, user = messages[0]["content"], messages[-1]["content"]
    instruction = system.partition("\n\n")[0]
    task = [{"type": "text", "text": user}] if isinstance(user, str) else user
    limits = f"{submission} {STEPS.format(max_steps)}"
    return [{"type": "text", "text": instruction}, *task, {"type": "text", "text": limits}]


def parse_thought(note: str) -> str | None:
    """Return the thought in a message that was added to the chat during a turn."""
    thought = ACTION_WORDS.sub("", note).strip()
    return thought if thought and thought != NOTHING else None


def map_strings(value: Any, change: Any) -> Any:
    """Return a JSON value with ``change`` applied to every string in it."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: map_strings(part, change) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map_strings(part, change) for part in value)
    return value
