"""How often the rules that say where an episode was lost are right."""

from __future__ import annotations

from validation.losses import made, real_sample, scores


def test_the_rules_are_right_on_trajectories_that_they_were_not_tuned_on() -> None:
    for score in made.scores("held_out", each=60, seed=2):
        assert (score.precision or 0) >= 0.75, score
        assert (score.recall or 0) >= 0.75, score


def test_the_two_sets_of_made_trajectories_share_no_text() -> None:
    tuning, held_out = (made.texts(name) for name in scores.SETS)

    assert not {text for kind in tuning.values() for text in kind} & {
        text for kind in held_out.values() for text in kind
    }


def test_the_rules_agree_with_a_reader_of_real_episodes_that_they_were_not_tuned_on() -> None:
    given = real_sample.scores("held_out")

    assert sum(score.true for score in given) >= 25
    assert sum(score.hits for score in given) / sum(score.true for score in given) >= 0.8
