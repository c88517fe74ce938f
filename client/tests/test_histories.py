from __future__ import annotations

from collections.abc import Sequence

import pytest

from fake_server import FakeServer
from palaestra import Client, Completion, Env, Observation, Usage
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import get_grammar
from palaestra.play.episode import Episode
from palaestra.protocol.conversation import LEFT_OUT, UNCHANGED
from palaestra.protocol.histories import history_read
from palaestra.records import Message
from palaestra.turn.histories import PastTurn, messages_send

OPENING: list[Message] = [{"role": "system", "content": "You see pages."}]


def page(text: str, *, result: str = "ok") -> Observation:
    return Observation(kind="axtree-v2", text=text, result=result)  # type: ignore[arg-type]


def picture(content: bytes) -> Observation:
    return Observation(kind="both-v2", text="page", screenshot=content, result="ok")


def sent(history: str, shown: Sequence[Observation]) -> list[Message]:
    return messages_send(
        history=history_read(history),
        grammar=get_grammar("json"),
        opening=OPENING,
        turns=[PastTurn(shown=one, raw=f"reply {place}") for place, one in enumerate(shown[:-1])],
        shown=shown[-1],
    )


def seen(messages: Sequence[Message]) -> list[str]:
    return [str(message["content"]) for message in messages if message["role"] == "user"]


def test_a_page_that_did_not_change_is_one_line() -> None:
    one, two, three, four = seen(
        sent("full", [page("A" * 99), page("A" * 99), page("B" * 99), page("A" * 99)])
    )
    assert "A" * 99 in one
    assert UNCHANGED in two
    assert "A" * 99 not in two
    assert "Result of your action: ok." in two
    assert "B" * 99 in three
    assert "A" * 99 in four, "what was shown before the last page counts as new"


def test_a_picture_that_did_not_change_is_not_sent_again() -> None:
    messages = sent("full", [picture(b"1"), picture(b"1"), picture(b"2")])
    assert [isinstance(message["content"], list) for message in messages if message["role"] == "user"] == [
        True,
        False,
        True,
    ]


def test_a_recorded_picture_that_the_model_does_not_see_makes_no_difference() -> None:
    shown = [
        Observation(kind="axtree-v2", text="same", screenshot=content, result="ok")
        for content in (b"1", b"2")
    ]
    assert UNCHANGED in seen(sent("full", shown))[1]


def test_older_pages_are_one_line_each_and_replies_stay() -> None:
    messages = sent("last_k:2", [page("A", result="ok"), page("B", result="refused"), page("C"), page("D")])
    one, two, three, four = seen(messages)
    assert LEFT_OUT in one
    assert LEFT_OUT in two
    assert "Result of your action: refused." in two, "results are kept"
    assert three.endswith("C")
    assert four.endswith("D")
    assert [m["content"] for m in messages if m["role"] == "assistant"] == ["reply 0", "reply 1", "reply 2"]


def test_the_newest_page_stands_whole_where_the_one_before_it_is_left_out() -> None:
    one, two = seen(sent("last_k:1", [page("A"), page("A")]))
    assert LEFT_OUT in one
    assert two.endswith("A")


def test_only_what_changed_of_a_page_is_sent_where_that_is_shorter() -> None:
    before = "\n".join(['page "Trip" https://gym/', *(f"  text: Line {n} of the page" for n in range(40))])
    after = before.replace("Line 7 of the page", "Line 7, now another")
    away = before.replace("https://gym/", "https://gym/next")
    one, two, three, four = seen(sent("diff", [page(before), page(after), page(after), page(away)]))
    assert "Line 39 of the page" in one
    assert "Line 7, now another" in two
    assert "Line 39 of the page" not in two
    assert UNCHANGED in three
    assert "Line 39 of the page" in four, "another page is shown whole"


async def played(fake: FakeServer, config: EpisodeConfig, *completions: Completion) -> Episode:
    async with Client(fake.lab_url, "key") as client:
        opening = await client.episodes_open(run=7, tasks=[1], arm="text_agent")
        opened = opening.episodes[0]
        episode = Episode(client, opened, messages=opening.messages_of(opened), config=config)
        await episode.begin()
        for completion in completions:
            if not episode.is_over:
                await episode.turn(completion)
        await episode.step_queue.flush()
    return episode


async def test_an_output_that_was_cut_ends_the_episode_and_is_never_an_answer(fake: FakeServer) -> None:
    text = 'Half of 84 is 42.\nAction: {"type": "answer", "text": "42"}'
    await played(fake, EpisodeConfig(), Completion(text=text, finish_reason="length"))
    row = fake.state.episodes[1]
    assert row["closed"]["reason"] == "token_budget"
    assert row["answer"] is None
    assert row["steps"][1]["finish_reason"] == "length"
    assert row["steps"][1]["raw"] == text
    assert row["steps"][1]["thought"] == "Half of 84 is 42."


async def test_of_an_output_that_was_cut_the_thought_is_what_it_reasoned(fake: FakeServer) -> None:
    text = '{"reasoning": "Half of 84 is\\n42, so'
    config = EpisodeConfig(grammar="structured")
    await played(fake, config, Completion(text=text, finish_reason="length"))
    step = fake.state.episodes[1]["steps"][1]
    assert (step["thought"], step["raw"]) == ("Half of 84 is\n42, so", text)


async def test_the_prompt_budget_counts_what_the_model_says_it_read(fake: FakeServer) -> None:
    usage = Usage(prompt=600, completion=1)
    config = EpisodeConfig(prompt_token_budget=1_000)
    episode = await played(fake, config, *[Completion(text="Hm.", usage=usage)] * 3)
    assert episode.steps == 2
    assert fake.state.episodes[1]["closed"] == {
        "reason": "token_budget",
        "detail": "1,200 tokens read, of 1,000",
    }


async def test_an_environment_takes_a_prompt_budget_and_a_history(fake: FakeServer) -> None:
    completion = Completion(text="I look.\nAction: noop", usage=Usage(prompt=600, completion=1))
    async with Env(
        fake.lab_url, "key", run=7, arm="text_agent", history="last_k:1", prompt_token_budget=1_500
    ) as env:
        await env.reset(1)
        endings = [any((await env.step(completion))[2:4]) for _ in range(3)]
        assert env.episode is not None
    assert endings == [False, False, True]
    assert fake.state.episodes[1]["closed"]["reason"] == "token_budget"
    with pytest.raises(ValueError, match="There is no history 'some'"):
        async with Env(fake.lab_url, "key", run=7, arm="text_agent", history="some") as env:
            await env.reset(1)


async def test_thoughts_apart_from_the_answer_are_recorded_and_hidden_ones_are_marked(
    fake: FakeServer,
) -> None:
    hidden = Usage(reasoning=300)
    await played(
        fake,
        EpisodeConfig(),
        Completion(text="So I wait.\nAction: noop", reasoning="Half of 84 ...", usage=hidden),
        Completion(text="Action: noop", usage=hidden),
        Completion(text="Action: noop"),
    )
    steps = fake.state.episodes[1]["steps"]
    assert steps[1]["thought"] == "Half of 84 ...\n\nSo I wait."
    assert steps[1]["raw"] == "So I wait.\nAction: noop"
    assert [steps[index].get("thought_hidden") for index in (1, 2, 3)] == [None, True, None]


TASK = "\n".join(['region "Task"', "  preformatted:", *(f"    | Rule {n} of this task" for n in range(9))])


def test_a_section_that_a_page_above_shows_is_one_line() -> None:
    shop = f'page "Shop" https://gym/\n{TASK}\nmain\n  text: Kettles'
    cart = f'page "Cart" https://gym/cart\n{TASK}\nmain\n  text: Nothing yet'
    one, two = seen(sent("full", [page(shop), page(cart)]))
    assert TASK in one
    assert two.endswith(
        'page "Cart" https://gym/cart\nregion "Task": unchanged, shown above\nmain\n  text: Nothing yet'
    )


def test_a_section_stands_whole_where_the_page_that_shows_it_is_left_out() -> None:
    pages = [page(f'page "{name}" https://gym/{name}\n{TASK}') for name in ("a", "b", "c")]
    _, two, three = seen(sent("last_k:2", pages))
    assert TASK in two
    assert TASK not in three


def test_a_section_of_which_a_line_changed_stands_with_what_is_new() -> None:
    field = '  [e2] textbox "Total" value="{}"'
    pages = [page(f'page "{n}" https://gym/{n}\n{TASK}\n{field.format(n)}') for n in (1, 2)]
    _, two = seen(sent("full", pages))
    assert 'region "Task"\n  preformatted: unchanged, shown above\n  [e2] textbox "Total" value="2"' in two


def test_articles_always_stand_whole() -> None:
    review = "\n".join(['article "Bad hook"', *(f"  text: Sentence {n} of the review" for n in range(9))])
    pages = [page(f'page "{n}" https://gym/{n}\n{review}') for n in (1, 2)]
    assert all(review in text for text in seen(sent("full", pages)))
