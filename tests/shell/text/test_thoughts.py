"""Thoughts with coloured sentences, and ribbons."""

from __future__ import annotations

from trajectories.shell.text.thoughts import Ribbon, coloured


def test_sentences_are_in_elements_of_their_class() -> None:
    html = coloured("2 + 2 = 4.  I click it.", "ca")

    assert html == (
        '<span class="sentence sentence-calculate" data-does="Calculates">2 + 2 = 4.</span>  '
        '<span class="sentence sentence-announce" data-does="Announces">I click it.</span>'
    )


def test_what_a_model_wrote_stays_text() -> None:
    html = coloured('<script>a</script> & "b".\n</span>\u202e.', "io")

    assert "<script>" not in html
    assert html.count("</span>") == html.count("<span")
    assert "&lt;/span&gt;" in html


def test_sentences_without_a_known_class_stay_as_they_are() -> None:
    assert coloured("One. Two. <b>", "?") == "One. Two. &lt;b&gt;"
    assert coloured("One.", "") == "One."


def test_a_ribbon_has_a_bar_for_each_step_whose_sentences_are_known() -> None:
    ribbon = Ribbon.of([(1, "aac"), (2, None), (3, ""), (4, "s")])

    assert [(bar.index, bar.words) for bar in ribbon.bars] == [
        (1, "1 calculates, 2 announces"),
        (4, "1 restates"),
    ]
    shares = {total.kind.id: total.share for total in ribbon.totals if total.count}
    assert shares == {"calculate": 0.25, "announce": 0.5, "restate": 0.25}
    assert not Ribbon.of([(1, None)])
