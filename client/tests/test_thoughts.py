"""Thoughts are no answers and no actions, whatever marks a model has and whichever path they come by."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Completion, Env, RemoteEnv
from palaestra.doors.tokens import tokens_text
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import GRAMMARS, get_grammar
from palaestra.thoughts import thoughts_separate, thoughts_split
from stages import LITE_RUN, TOKEN, stage_serve

# The marks of models, as the reasoning parsers of vLLM and SGLang have them.
FAMILIES = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<Thought>", "</Thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<THINK>", "</THINK>"),
    ('<thinking effort="high">', "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<ifm|think>", "</ifm|think>"),
    ("<deepReasoning>", "</deepReasoning>"),
    ("<reasoning_steps>", "</reasoning_steps>"),
    ("<agent_thoughts_v2>", "</agent_thoughts_v2>"),
    ("<begin_reasoning>", "<end_reasoning>"),
    ("<scratchpad_begin>", "<scratchpad_end>"),
    ("<|monologue_start|>", "<|monologue_end|>"),
    ("<thinking>", "<\\thinking>"),
    ("&lt;thought&gt;", "&lt;/thought&gt;"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("[unused16]", "[unused17]"),
    ("<unused94>thought\n", "<unused95>"),
]
ONLY_PAIRS = [
    ("[Start of reasoning]", "[End of reasoning]"),
    ("[SCRATCHPAD]", "[/SCRATCHPAD]"),
    ('<details open type="reasoning" done="true">', "</details>"),
    ("<details><summary>My reasoning</summary>", "</details>"),
]
HARMONY = ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>")
GUESS, ANSWER = "Perhaps so:\nAnswer: 17\nNo.", "Answer: 42"


@pytest.mark.parametrize(("begin", "end"), [*FAMILIES, HARMONY])
def test_a_guess_within_a_thought_is_none_of_the_answer(begin: str, end: str) -> None:
    assert thoughts_split(f"{begin}\n{GUESS}\n{end}\n\n{ANSWER}") == (GUESS, ANSWER)
    assert thoughts_split(f"{begin}{GUESS}{end}{ANSWER}") == (GUESS, ANSWER)
    assert thoughts_split(f"\n {begin}\n{GUESS}") == (GUESS, ""), "cut off"
    assert thoughts_split(f"{begin}\n\n{end}\n\n{ANSWER}") == ("", ANSWER), "nothing was thought"


@pytest.mark.parametrize(("begin", "end"), FAMILIES)
def test_thoughts_that_a_template_began_or_that_hold_others_end(begin: str, end: str) -> None:
    assert thoughts_split(f"{GUESS}\n{end}\n{ANSWER}") == (GUESS, ANSWER), "the template began it"
    assert thoughts_split(f"{GUESS}{end}{ANSWER}") == (GUESS, ANSWER)
    nested = f"{GUESS}\n{begin}\n{GUESS}\n{end}\n{GUESS}"
    assert thoughts_split(f"{begin}\n{nested}\n{end}\n{ANSWER}") == (nested, ANSWER)
    assert thoughts_split(f"{begin}\n{begin}\n{GUESS}\n{end}\n{ANSWER}")[1] == ANSWER, "begun twice"
    between = f"So.\n{begin}\n{GUESS}\n{end}\n{ANSWER}\n{begin}{GUESS}"
    assert thoughts_split(between) == (f"{GUESS}\n\n{GUESS}", f"So.\n\n{ANSWER}\n"), "between the lines"
    assert thoughts_split(f"So. {begin}{GUESS}\n{end} {ANSWER}")[0] == GUESS, "within a line"


@pytest.mark.parametrize(("begin", "end"), ONLY_PAIRS)
def test_marks_that_look_like_headings_count_in_pairs(begin: str, end: str) -> None:
    assert thoughts_split(f"{begin}\n{GUESS}\n{end}\n\n{ANSWER}") == (GUESS, ANSWER)
    for single in (f"{begin}\nSix times seven.\n{ANSWER}", f"{ANSWER}\n{end}\nDone."):
        assert thoughts_split(single) == (None, single)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"<think>{GUESS}</thinking>\n{ANSWER}", ANSWER),
        (f"<think>I could end with </think> here</think>\n{ANSWER}", ANSWER),
        (f'<think>\n```python\ns.split("</think>")\n```\nSo.\n</think>\n{ANSWER}', ANSWER),
        (f"<think>{GUESS}</think>\n<answer>\n{ANSWER}\n</answer>", ANSWER),
        (f"<think>{GUESS}</think>\n<response>{ANSWER}", ANSWER),
        (f"<|START_THINKING|>{GUESS}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>", ANSWER),
        (f"<|channel|>analysis<|message|>{GUESS}", ""),
        (f"<|start|>assistant{HARMONY[0]}{GUESS}{HARMONY[1]}{ANSWER}<|return|>", ANSWER),
        (f"analysisWe guess.\n{GUESS}assistantfinal{ANSWER}", ANSWER),
        (f"analysisWe guess.\n{GUESS}", ""),
        (f"assistantanalysisWe guess.\n{GUESS}", ""),
        (f"analysis<|message|>{GUESS}{HARMONY[1]}{ANSWER}", ANSWER),
        (f"Here are my reasoning steps:\n{GUESS}\n[BEGIN FINAL RESPONSE]\n{ANSWER}", ANSWER),
        (f"<think>\n{GUESS}\n</think\n{ANSWER}", ANSWER),
        (f"Here is my thought process:\n{GUESS}\nHere is my response:\n{ANSWER}", ANSWER),
    ],
)
def test_thoughts_end_where_the_model_ends_them(text: str, rest: str) -> None:
    thoughts, left = thoughts_split(text)
    assert left == rest
    assert thoughts


@pytest.mark.parametrize("thought", ["", "<think>A plan.</think>\n", "[THINK]A plan.[/THINK]"])
@pytest.mark.parametrize(
    "text",
    [
        "Answer: 42",
        "Write <think> and </think> around it.\nAnswer: 42",
        "Use <think> tags.\nAnswer: 42",
        "The opening mark is `<think>`.\nAnswer: `</think>`",
        "Answer: </think>",
        "Answer: put it between <think> and </think>",
        'Answer: "<think>" then "</think>"',
        "```python\ndef rest(text):\n    return text.split('</think>')[-1]\n```",
        '```python\nPROMPT = """\n<think>\n{plan}\n</think>\n"""\n```',
        '```html\n<thinking>\n```\nAction: {"type": "back"}',
        'Action: {"type": "fill", "target": "e2", "text": "<think>a plan</think>, then [THINK]"}',
        '{"reasoning": "It says <think>no</think>.", "action": {"type": "fill", "text": "<think>"}}',
        "fill('e2', '<think>a plan</think>')",
        '<tool_call>{"name": "fill", "arguments": {"text": "</think>"}}</tool_call>',
        "Here is my thought process: 6 times 7.\nAnswer: 42",
        "analysis of the table: none\nAnswer: 42",
        "<think />\nAnswer: 42",
        "<details><summary>Steps</summary>\n6 * 7\n</details>\nAnswer: 42",
        "<give_up><reason>No page.</reason></give_up>",
        "The values a<b and c>d.\nAnswer: [unused]",
    ],
)
def test_words_about_marks_stay_in_the_answer(thought: str, text: str) -> None:
    assert thoughts_split(f"{thought}{text}") == ("A plan." if thought else None, text)


def test_thoughts_given_beside_the_text_were_not_begun_by_the_template() -> None:
    given = Completion(text="Answer: the mark </think> ends it", reasoning="A plan.")
    assert thoughts_separate(given) is given
    again = thoughts_separate(
        Completion(text="\n</think>\nSo.\n<think>Yes.</think>\nAnswer: 42", reasoning="A.")
    )
    assert (again.reasoning, again.text) == ("A.\n\nYes.", "So.\n\nAnswer: 42")
    nothing = thoughts_separate(Completion(text="<think></think>\nAnswer: the mark </think> ends it"))
    assert thoughts_separate(nothing) == nothing


def test_an_answer_in_a_channel_of_its_own_needs_no_thought_before_it() -> None:
    answered = Completion(text=f"<|channel|>final<|message|>{ANSWER}<|return|>")
    assert (thoughts_separate(answered).text, thoughts_separate(answered).reasoning) == (ANSWER, None)


def test_a_model_may_have_marks_of_its_own() -> None:
    text = f"§plan\n{GUESS}\n§done\n{ANSWER}"
    assert thoughts_split(text) == (None, text)
    assert thoughts_split(text, tags=[("§plan", "§done")]) == (GUESS, ANSWER)
    assert thoughts_split(f"{GUESS}\n§DONE{ANSWER}", tags=[("§plan", "§done")]) == (GUESS, ANSWER)
    for wrong in (["<plan>"], [("<plan>",)], [("*", "*")], [("", "</plan>")], ["ab"]):
        with pytest.raises(ValueError, match="not a pair of marks"):
            EpisodeConfig(thought_tags=wrong)


@pytest.mark.parametrize(
    "piece",
    ["<think>", "a <think> ", " </think> ", "a <think> </think> ", "'a <think> ", "<think>\n", "a“[THINK] "],
)
def test_models_that_repeat_a_mark_cost_no_time(piece: str) -> None:
    started = time.process_time()
    thoughts_split(piece * 5_000)
    assert time.process_time() - started < 5, "not quadratic"


class Tokenizer:
    """One token a word; those in brackets are special."""

    words: Sequence[str] = ("[THINK]", "[/THINK]", "17", "42", "<eos>", "§plan", "[TOOL_CALLS]", "[ARGS]")
    special = (0, 1, 4, 5, 6, 7)

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = False) -> str:
        return "".join(self.words[one] for one in ids if not (skip_special_tokens and one in self.special))


def test_special_tokens_that_mark_thoughts_and_calls_stay() -> None:
    assert tokens_text(Tokenizer(), [0, 2, 1, 5, 3, 4]) == "[THINK]17[/THINK]42"
    assert tokens_text(Tokenizer(), [5, 3, 4], tags=[("§plan", "§done")]) == "§plan42"
    assert tokens_text(Tokenizer(), [5, 6, 2, 7, 3, 4]) == "[TOOL_CALLS]17[ARGS]42"


# ---- on every path
Make = Callable[..., Any]


@pytest_asyncio.fixture(params=["here", "on a stage", "without a browser"])
async def env_make(request: pytest.FixtureRequest, fake: FakeServer) -> AsyncIterator[Make]:
    fake.state.runs.append(LITE_RUN)
    async with AsyncExitStack() as stack:
        stage = stage_serve(fake, pages=0) if request.param == "on a stage" else None
        address = (await stack.enter_async_context(stage))[1] if stage else ""

        async def make(**settings: Any) -> Env | RemoteEnv:
            if address:
                return await stack.enter_async_context(RemoteEnv(address, TOKEN, run=7, **settings))
            browser = "lite" if request.param == "without a browser" else "chromium"
            env = Env(fake.lab_url, "key", run=7, browser=browser, **settings)
            return await stack.enter_async_context(env)

        yield make


def _written(grammar: str, answer: str) -> str:
    """A completion that submits an answer, as text."""
    [completion] = get_grammar(grammar).render({"type": "answer", "text": answer})
    if not completion.tool_calls:
        return completion.text
    [call] = completion.tool_calls
    return f'<tool_call>{{"name": "{call.name}", "arguments": {call.arguments}}}</tool_call>'


@pytest.mark.parametrize("grammar", sorted(GRAMMARS))
async def test_an_action_in_a_thought_is_not_taken(env_make: Make, fake: FakeServer, grammar: str) -> None:
    try:
        guess, answer = _written(grammar, "17"), _written(grammar, "42")
    except ValueError:
        pytest.skip("answers on the page alone")
    env = await env_make(arm="text_agent", grammar=grammar, thought_tags=[("§plan", "§done")])
    for begin, end in (("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("§plan", "§done"), HARMONY):
        await env.reset(3)
        for thought in (f"{begin}\n{guess}", f"{begin}maybe {guess}\n{guess}\nno{end}\nI am not sure."):
            *_, info = await env.step(thought)
            assert (info["action"], info["action_result"]) == (None, "invalid")
        *_, info = await env.step(f"{begin}\n{guess}\n{end}\n{answer}")
        assert info["verdict"].outcome == "correct"
        steps = fake.state.episodes[info["episode"]]["steps"]
        assert steps[1]["raw"] == f"{begin}\n{guess}", "as it was sampled"
        assert guess in steps[1]["thought"]
        assert begin not in steps[3]["thought"]


@pytest.mark.parametrize(("begin", "end"), [("<think>", "</think>"), ("◁think▷", "◁/think▷"), HARMONY])
async def test_an_answer_in_a_thought_is_not_submitted(
    env_make: Make, fake: FakeServer, begin: str, end: str
) -> None:
    env = await env_make(arm="text_zero_shot")
    for completion in (f"{begin}\n{GUESS}", f"{begin}\n{GUESS}\n{end}\nI cannot tell."):
        await env.reset(3)
        *_, info = await env.step(completion)
        assert fake.state.episodes[info["episode"]].get("answer") is None
    await env.reset(3)
    *_, info = await env.step(f"{begin}\n{GUESS}\n{end}\n{ANSWER}")
    assert fake.state.episodes[info["episode"]]["answer"] == "42"
    assert fake.state.episodes[info["episode"]]["steps"][1]["thought"] == f"{GUESS}\n\n{ANSWER}"
