"""Models that are fitted to recorded episodes, and what they are fitted to."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tasks_app.models import Gold
from tests import factories
from tests.rewards.learned import planted
from trajectories.models import Episode, RewardModel, Step
from trajectories.rewards.learned.lessons import Opinions, lessons_read
from trajectories.rewards.learned.source import READ, read_recorded
from trajectories.rewards.learned.store import Model, model_fit

pytestmark = pytest.mark.django_db


def fitted(**fields: Any) -> Model:
    return model_fit(name="words", project="default", opinions=Opinions(), **fields)[0]


@pytest.fixture
def episodes() -> list[Episode]:
    return planted.history()


def test_words_that_tell_right_from_wrong_are_learned(episodes: list[Episode]) -> None:
    model = fitted()
    assert (model.card.auroc.value, model.card.auroc_within_items.value) == (1.0, 1.0)
    assert model.may_pay
    assert model.card.fitted.episodes + model.card.held.episodes == len(episodes)
    assert any(one.feature.startswith("word ") for one in model.card.strongest)


def test_the_same_lessons_give_the_same_model(
    episodes: list[Episode], capsys: pytest.CaptureFixture[str]
) -> None:
    model = fitted()
    call_command("fit_reward", "words")
    assert f"{model.component} already existed." in capsys.readouterr().out
    again, is_new = model_fit(name="again", project="default", opinions=Opinions())
    assert (again, is_new) == (model, False)
    planted.played(factories.task(), planted.RIGHT, "correct")
    other = fitted()
    assert other.id != model.id
    assert (model.card.earlier, other.card.earlier) == (0, 1)
    assert RewardModel.objects.count() == 2


def test_only_what_may_be_learned_from_is_read() -> None:
    episodes = planted.history(held=1)

    def known(*runs: int) -> set[int]:
        lessons = lessons_read(project="default", opinions=Opinions(), runs=runs)
        return {one.recorded.episode for one in lessons.episodes}

    assert known() == {one.pk for one in episodes}
    planted.played(factories.task(split="test"), planted.RIGHT, "correct")
    planted.played(factories.task(), planted.RIGHT, "void")
    planted.played(factories.task(), planted.RIGHT, "correct", guidance={"kind": "prefix"})
    simulated = factories.run(simulated=True)
    of_simulated = planted.played(factories.task(), planted.RIGHT, "correct", run=simulated)
    planted.played(factories.task(), planted.RIGHT, "correct", run=factories.run(project="other"))
    by_oracle = planted.played(factories.task(), planted.RIGHT, "correct")
    Step.objects.filter(episode=by_oracle).update(actor="oracle")
    factories.verdict(factories.episode(), "incorrect")
    assert known() == {one.pk for one in episodes}
    assert known(simulated.pk) == {of_simulated.pk}, "a run that is named is read all the same"


def test_people_overrule_verdicts() -> None:
    episodes = planted.history(held=1)
    void = planted.played(factories.task(), planted.RIGHT, "void")
    opinions = Opinions(
        successes={episodes[0].pk: False, episodes[2].pk: True, void.pk: True},
        preferences=[(episodes[0].pk, episodes[1].pk), (episodes[0].pk, 2**40)],
    )
    lessons = lessons_read(project="default", opinions=opinions)
    by_id = {one.recorded.episode: one for one in lessons.episodes}
    assert [by_id[one].label for one in opinions.successes] == [False, True, True]
    assert [by_id[one].is_overruled for one in opinions.successes] == [True, False, False]
    assert [(one.episode, other.episode) for one, other in lessons.pairs] == [opinions.preferences[0]]


def test_a_handful_of_episodes_is_refused_by_the_command() -> None:
    planted.history(held=1)
    with pytest.raises(CommandError, match="It needs 10 tasks"):
        call_command("fit_reward", "words")
    with pytest.raises(CommandError, match="cannot name a learned reward"):
        call_command("fit_reward", "../x")
    assert not RewardModel.objects.exists()


def test_golds_never_enter(episodes: list[Episode]) -> None:
    """Neither an answer nor a solution; the statement names neither table, nor that of verdicts."""
    for table in ("gold", "verdict", "solution", ".answer", "payload"):
        assert table not in READ.text
    before = fitted()
    ids = [one.pk for one in episodes]
    recorded = read_recorded(ids)
    Gold.objects.update(answer="canary 4711", solution="I guess the canary", extra={"needs": ["canary"]})
    assert read_recorded(ids) == recorded
    assert factories.GOLD_CANARY not in str(recorded)
    assert "canary" not in str(recorded)
    assert fitted() == before
    assert "canary" not in str(RewardModel.objects.values_list("parameters", "card"))
