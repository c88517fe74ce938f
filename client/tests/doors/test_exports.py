"""Exports, loaded by the libraries that train: `datasets`, and TRL's trainers."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import datasets
import msgspec
import pytest
from datasets import load_dataset
from script import BENCHMARK, GOLD, KEY, SERVER, TASK_KEY
from tiny_model import END, model_make, tokenizer_make
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
from trl.data_utils import is_conversational, maybe_apply_chat_template, prepare_multimodal_messages

from palaestra import Client, Env
from palaestra import interventions as intervention_rows
from palaestra import splices as splice_rows
from palaestra.exports import prompt_sha256
from palaestra.grammars import get_grammar
from palaestra.observation import Observation
from palaestra.pages.surface import VIEWPORT
from palaestra.protocol.histories import history_read
from palaestra.records import Step
from palaestra.turn.histories import PastTurn, messages_send

KINDS = {
    "chat": 5,
    "transitions": 9,
    "sft": 3,
    "sft_steps": 5,
    "preferences": 4,
    "step_rewards": 9,
    "self_distillation": 1,
}
PAGES = ("textbox [e1]", "button [e2]")
PICTURED = ("sft", "sft_steps")
COPIED, INTERVENTION = "I read the question.\n\n", "I count again."
REVISION = "This leads nowhere. I go back."
WAIT = 'Action: {"type": "wait", "ms": 1}'
BAD = [f"I read it.\n{WAIT}", f"I look at the wrong place.\n{WAIT}", f"I guess.\n{WAIT}"]
GOOD = [f"I count well.\n{WAIT}", f'Action: {{"type": "answer", "text": "{GOLD}"}}']
TRAINING: dict[str, Any] = {
    "use_cpu": True,
    "max_steps": 2,
    "per_device_train_batch_size": 2,
    "report_to": "none",
    "save_strategy": "no",
}


async def played(client: Client, run: int, arm: str, answers: Sequence[str]) -> None:
    """Episodes of a group that hand in these answers, with the hashes of their prompts."""
    tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
    task = next(one.id for one in tasks if one.key == TASK_KEY)
    opening = await client.episodes_open(
        run=run, tasks=[task], arm=arm, samples_per_task=len(answers), answer_channel="api", seed=7
    )
    for episode, answer in zip(opening.episodes, answers, strict=True):
        messages = await client.messages_inline(await client.episode_messages(episode.id))
        await client.steps_post(episode.id, steps_of(messages, arm, answer))
        await client.submission_post(episode.id, answer=answer)
        await client.wait_episode(episode.id)


def steps_of(opening: list[dict[str, Any]], arm: str, answer: str) -> list[Step]:
    if arm.startswith("text"):
        raw = f"I count for {answer}.\nAnswer: {answer}"
        return [Step(index=1, thought=raw.partition("\n")[0], raw=raw, prompt_sha256=digest(opening))]
    turns: list[PastTurn] = []
    steps = []
    for index, page in enumerate(PAGES, start=1):
        shown = Observation(kind="axtree-v2", text=page, result="ok" if turns else None)
        prompt = messages_send(
            history=history_read("full"),
            grammar=get_grammar("json"),
            opening=opening,
            turns=turns,
            shown=shown,
        )
        thought = f"I look at {page} for {answer}."
        action = {"type": "click", "target": f"e{index}"}
        raw = f"{thought}\nAction: {json.dumps(action)}"
        seen = {"kind": "axtree-v2", "text": page}
        steps.append(
            Step(
                index=index,
                thought=thought,
                raw=raw,
                action=action,
                action_result="ok",
                observation=seen,
                prompt_sha256=digest(prompt),
            )
        )
        turns.append(PastTurn(shown=shown, raw=raw))
    return steps


def digest(messages: list[dict[str, Any]]) -> str:
    return hashlib.sha256(msgspec.json.encode(messages)).hexdigest()


async def exported(home: Path) -> None:
    """Every kind in both formats, downloaded."""
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(name="exports", kind="train", model="a model", observation="axtree-v2")
        await played(client, run.id, "gym", [GOLD, "161", GOLD, "160"])
        await played(client, run.id, "text_zero_shot", [GOLD])
        for kind in KINDS:
            for form in ("jsonl", "parquet"):
                made = await client.exports.create(kind, runs=[run.id], format=form)
                done = await client.exports.wait(made.id, timeout_s=120)
                await client.exports.download(done.id, home / form / kind)


async def intervened(home: Path) -> None:
    """Words put into a failed thought, from which one of two continuations was right, in both formats."""
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(name="interventions", kind="train", model="a model")
        tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
        task = next(one.id for one in tasks if one.key == TASK_KEY)
        opening = await client.episodes_open(run=run.id, tasks=[task], arm="text_zero_shot")
        raw = f"{COPIED}I count for 160.\n\nAnswer: 160"
        await answered(client, opening.episodes[0].id, raw, "160")
        opened = await client.intervention_open(
            opening.episodes[0].id, step=1, substep=2, text=INTERVENTION, count=2
        )
        for one, answer in zip(opened.episodes, (GOLD, "160"), strict=True):
            begun = str(opened.intervention.message["content"])
            await answered(client, one.id, f"{begun}\n\nAnswer: {answer}", answer)
        for form in ("jsonl", "parquet"):
            made = await client.exports.create("interventions", runs=[run.id], format=form)
            done = await client.exports.wait(made.id, timeout_s=120)
            await client.exports.download(done.id, home / form / "interventions")


async def spliced(home: Path) -> None:
    """An incorrect attempt of four steps and a correct fork of it after the first, in both formats."""
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(
            name="splices",
            kind="train",
            model="a model",
            settings={"browser": "lite"},
            observation="axtree-v2",
        )
        tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
        task = next(one.id for one in tasks if one.key == TASK_KEY)
        async with Env(SERVER, KEY, run=run.id, answer_channel="api", browser="lite") as env:
            await env.reset(task)
            bad = await stepped(env, [*BAD, 'Action: {"type": "answer", "text": "161"}'])
            await env.fork(bad, 1)
            await stepped(env, GOOD)
        for form in ("jsonl", "parquet"):
            revisions = [{"text": REVISION, "episode": bad, "step": 3}]
            made = await client.exports.create("splices", runs=[run.id], revisions=revisions, format=form)
            done = await client.exports.wait(made.id, timeout_s=120)
            await client.exports.download(done.id, home / form / "splices")


async def stepped(env: Env, completions: Sequence[str]) -> int:
    """The episode that ends with these."""
    for completion in completions:
        info = (await env.step(completion))[-1]
    return info["episode"]


async def answered(client: Client, episode: int, raw: str, answer: str) -> None:
    await client.steps_post(episode, [Step(index=1, raw=raw, thought=raw)])
    await client.submission_post(episode, answer=answer)
    await client.wait_episode(episode)


@pytest.fixture(scope="session")
def interventions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interventions")
    asyncio.run(intervened(folder))
    return folder


@pytest.fixture(scope="session")
def splices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("splices")
    asyncio.run(spliced(folder))
    return folder


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    datasets.disable_progress_bars()
    asyncio.run(exported(folder))
    return folder


async def pictured(home: Path) -> None:
    """The kinds whose rows have pictures, of an episode that was played by them."""
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(name="pictures", kind="train", model="a model", observation="both-v2")
        tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
        task = next(one.id for one in tasks if one.key == TASK_KEY)
        async with Env(SERVER, KEY, run=run.id, observation="both", answer_channel="api") as env:
            await env.reset(task)
            await env.step('I look again.\nAction: {"type": "wait", "ms": 1}')
            await env.step(f'Action: {{"type": "answer", "text": "{GOLD}"}}')
        for kind in PICTURED:
            made = await client.exports.create(kind, runs=[run.id])
            done = await client.exports.wait(made.id, timeout_s=120)
            await client.exports.download(done.id, home / "jsonl" / kind)


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    asyncio.run(pictured(folder))
    return folder


def loaded(home: Path, kind: str, *, form: str = "jsonl", part: str = "") -> Any:
    reader = "json" if form == "jsonl" else form
    files = str(home / form / kind / f"{kind}_{part}[0-9]*.{form}")
    return load_dataset(reader, data_files=files, split="train", cache_dir=str(home / "cache" / form / kind))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(("kind", "rows"), KINDS.items())
def test_datasets_loads_every_kind_in_either_format(home: Path, kind: str, rows: int, form: str) -> None:
    table = loaded(home, kind, form=form)
    manifest = json.loads((home / form / kind / "manifest.json").read_text())
    assert table.num_rows == manifest["rows"] == rows
    assert set(table.column_names) == set(manifest["columns"]) - {"images"}


def test_prompts_in_the_file_are_what_the_model_was_sent(home: Path) -> None:
    (path,) = (home / "jsonl" / "chat").glob("chat_*.jsonl")
    for line in path.read_text().splitlines():
        row = json.loads(line)
        assert row["exact"]
        for place, prompt in enumerate(row["prompts"]):
            assert prompt_sha256(row, place) == prompt["prompt_sha256"]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("kind", ["sft", "sft_steps", "preferences", "self_distillation"])
def test_trl_takes_rows_for_conversations(home: Path, kind: str, form: str) -> None:
    row = loaded(home, kind, form=form)[0]
    assert is_conversational(row)
    texts = maybe_apply_chat_template(row, tokenizer_make())
    assert all(isinstance(texts[name], str) for name in ("text", "prompt", "completion") if name in texts)
    assert {"text", "prompt"} & set(texts)


@pytest.mark.parametrize("kind", ["sft", "sft_steps", "self_distillation"])
def test_trl_fine_tunes_on_them(home: Path, kind: str, tmp_path: Path) -> None:
    tokenizer = tokenizer_make()
    trainer = SFTTrainer(
        model=model_make(tokenizer),
        args=SFTConfig(output_dir=str(tmp_path), max_length=4096, **TRAINING),
        train_dataset=loaded(home, kind),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("train", "trained"),
    [(("copied", "intervention"), COPIED + INTERVENTION), (("intervention",), INTERVENTION)],
)
def test_trl_learns_interventions_and_nothing_after_them(
    interventions: Path, form: str, train: tuple[str, ...], trained: str, tmp_path: Path
) -> None:
    (row,) = loaded(interventions, "interventions", form=form)
    assert is_conversational(row)
    assert (row["judged"], row["success_rate"]) == (2, 0.5)
    rows = [intervention_rows.tokens_of(row, tokenizer_make(), train=train)] * 2
    assert labelled(rows, tmp_path) == trained


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_trl_learns_of_splices_the_revision_and_the_good_way(
    splices: Path, form: str, tmp_path: Path
) -> None:
    (row,) = loaded(splices, "splices", form=form)
    assert is_conversational(row)
    assert (row["common_step"], row["bad_step"]) == (1, 3)
    written = [one["content"] for one in row["prompt"] if one["role"] == "assistant"]
    assert written == BAD
    rows = [splice_rows.tokens_of(row, tokenizer_make())] * 2
    assert labelled(rows, tmp_path) == "".join(f"{text}{END}" for text in (REVISION, *GOOD))


def labelled(rows: list[dict[str, list[int]]], folder: Path) -> str:
    """What has a loss in the trainer's own batch of rows of tokens, once it has trained on them."""
    tokenizer = tokenizer_make()
    trainer = SFTTrainer(
        model=model_make(tokenizer),
        args=SFTConfig(output_dir=str(folder), max_length=None, **TRAINING),
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    (labels, _) = next(iter(trainer.get_train_dataloader()))["labels"]
    assert trainer.train().training_loss > 0
    return str(tokenizer.decode(labels[labels >= 0]))


def test_trl_learns_preferences_from_them(home: Path, tmp_path: Path) -> None:
    tokenizer = tokenizer_make()
    trainer = DPOTrainer(
        model=model_make(tokenizer),
        ref_model=model_make(tokenizer),
        args=DPOConfig(output_dir=str(tmp_path), max_length=4096, **TRAINING),
        train_dataset=loaded(home, "preferences", form="parquet"),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0


@pytest.mark.parametrize("kind", PICTURED)
def test_pictures_are_loaded_and_stand_where_trl_expects_them(gallery: Path, kind: str) -> None:
    folder = gallery / "jsonl" / kind
    table = loaded(gallery, kind, part="images_")
    table = table.map(lambda row: {"images": [str(folder / name) for name in row["images"]]})
    for row in table.cast_column("images", datasets.Sequence(datasets.Image())):
        assert is_conversational(row)
        assert {picture.size for picture in row["images"]} == {VIEWPORT}
        messages = [one for name in ("messages", "prompt", "completion") for one in row.get(name) or []]
        parts = [
            part for one in prepare_multimodal_messages(messages, row["images"]) for part in one["content"]
        ]
        assert [part["image"] for part in parts if part["type"] == "image"] == row["images"]
