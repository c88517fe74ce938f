"""Files of judges, and what a changed one is."""

from __future__ import annotations

import pytest

from core.errors import GymError
from tests.judges.scene import CRITERIA, toml
from trajectories.judges import prompt
from trajectories.judges.parser import judge_read, sha256_of


def test_a_judge_is_read_with_its_defaults() -> None:
    body = judge_read(toml())
    assert [one.id for one in body.criteria] == ["grounded", "direct"]
    assert [body.criteria[0].value(grade) for grade in ("yes", "no", "no_page", "")] == [1.0, 0.0, None, None]
    assert body.sampling.temperature == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("weight = 3", "weight = 0", "weight"),
        ("weight = 3", "weight = nan", "number|float|malformed"),
        ("weight = 3", "wieght = 3", "wieght"),
        ('id = "direct"', 'id = "grounded"', "Two criteria are called 'grounded'"),
        ("Did every action serve the task?", "does the  answer follow from the LAST page?", "must differ"),
        ('["task", "actions"]', '["task", "answer"]', "must see actions or thoughts"),
        ('["task", "actions"]', '["task", "gold"]', "gold"),
        ('["task", "actions"]', '["actions", "actions"]', "listed twice"),
        ('"It does not follow."', '"It follows. "', "have the same text"),
        ('counts = "not_met" },\n    { id = "no_page"', 'counts = "met" },\n    { id = "no_page"', "not_met"),
        ('id = "some"', 'id = "all"', "two choices are called 'all'"),
        ('model = "m"', 'model = ""', "model"),
        ('name = "strict"', 'name = "Strict!"', "name"),
        ('model = "m"', 'model = "m"\nsampling = { temperature = -1 }', "temperature"),
    ],
)
def test_a_wrong_file_is_refused_in_words(old: str, new: str, words: str) -> None:
    text = toml().decode()
    assert old in text
    with pytest.raises(GymError, match=words) as raised:
        judge_read(text.replace(old, new, 1).encode())
    assert (raised.value.code, raised.value.status) == ("judge_refused", 422)


def test_an_address_with_a_secret_is_refused() -> None:
    with pytest.raises(GymError, match="no user"):
        judge_read(toml("http://me:pass@judge.test/v1"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("judge.test", "other.test"),
        ('model = "m"', 'model = "m2"'),
        ('model = "m"', 'model = "m"\nsampling = { temperature = 0.5 }'),
        ("It follows.", "It clearly follows."),
        ("weight = 3", "weight = 2"),
        ('["task", "actions"]', '["actions"]'),
    ],
)
def test_a_change_makes_another_judge(old: str, new: str) -> None:
    text = toml().decode()
    assert old in text
    assert sha256_of(judge_read(text.encode())) != sha256_of(judge_read(text.replace(old, new, 1).encode()))


def test_another_prompt_makes_another_judge_and_another_name_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = sha256_of(judge_read(toml()))
    assert sha256_of(judge_read(toml(name="same"))) == before
    monkeypatch.setattr(prompt, "SYSTEM", prompt.SYSTEM + "\nBe strict.")
    assert sha256_of(judge_read(toml(criteria=CRITERIA))) != before
