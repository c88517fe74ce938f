"""The filters of lists as they are drawn."""

from __future__ import annotations

from django.http import QueryDict

from trajectories.shell.forms import RunFilter


def test_choices_of_a_filter_are_escaped_and_the_given_one_is_selected() -> None:
    form = RunFilter(
        QueryDict("model=%22%3Cb%3E&kind=other"), benchmarks=[], models=['"<b>', "plain"], kinds=["eval"]
    )
    assert str(form["model"]).split("\n") == [
        '<select id="id_model" name="model"><option value="">Model</option>',
        '<option value="&quot;&lt;b&gt;" selected>&quot;&lt;b&gt;</option>',
        '<option value="plain">plain</option></select>',
    ]
    assert str(form["kind"]).count("selected") == 0
    assert str(form["benchmark"]).count(" selected") == 1
