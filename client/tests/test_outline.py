"""What a model reads of a long page, and of a page that changed."""

from __future__ import annotations

import pytest

from palaestra.observation.outline import Cut, name_section, outline_cut
from palaestra.protocol.changes import CHANGED, lines_new, outline_diff


def page(reviews: int, more: str = "Load more") -> list[str]:
    pairs = [(f'    article "Review {n}"', f"      text: {'word ' * 20}{n}") for n in range(reviews)]
    articles = [line for pair in pairs for line in pair]
    return ['region "Task"', "  text: Count.", "main", '  region "Reviews"', *articles, f"  text: {more}"]


def shown(lines: list[str], *, in_view: set[int] | None = None, new: set[int] | None = None) -> list[str]:
    return outline_cut(lines, in_view=in_view or {0, 1}, new=new or set(), cut=Cut(max_chars=900))


def test_a_page_that_fits_is_whole() -> None:
    assert shown(page(3)) == page(3)


def test_a_long_page_stays_within_its_bound_and_says_how_much_is_left_out() -> None:
    lines = page(40)
    text = "\n".join(shown(lines))
    assert len(text) <= 900
    gap = text.split("\n")[-1]
    left_out = [line for line in lines if line not in text.split("\n")]
    assert gap.strip().startswith(f"... {sum(len(line) + 1 for line in left_out):,} more characters, from ")
    assert gap.endswith('to "Review 39": read one of these sections or scroll')


def test_a_line_for_what_is_left_out_names_the_section_that_it_begins_in() -> None:
    lines = page(2)
    lines.insert(6, "        text: " + "Long. " * 300)
    gap = next(line for line in shown(lines, in_view={0, 1, 4, 5, 7, 8, 9}) if "more" in line)
    assert gap.strip() == '... 1,815 more characters: read "Review 0" or scroll'


def test_what_is_new_is_shown_although_the_page_is_long_and_with_what_it_is_inside_of() -> None:
    lines = page(40)
    new = {4 + 2 * 35, 5 + 2 * 35}
    lines_shown = shown(lines, new=new)
    assert {'    article "Review 35"', '  region "Reviews"', "main"} <= set(lines_shown)
    assert 'region "Task"' in lines_shown


def test_the_lines_for_what_is_left_out_are_within_the_bound() -> None:
    lines = page(40)
    scattered = {5 + 2 * number for number in range(0, 40, 4)}
    assert sum(len(line) + 1 for line in shown(lines, new=scattered)) <= 900


def test_what_is_in_view_is_shown_before_the_rest() -> None:
    lines = page(40)
    lines_shown = shown(lines, in_view={4 + 2 * 20, 5 + 2 * 20})
    assert '    article "Review 20"' in lines_shown
    assert 'region "Task"' not in lines_shown
    assert lines_shown[-1].strip().startswith("... ")


def test_the_scope_of_the_viewport_shows_nothing_else() -> None:
    lines = page(3)
    lines_shown = outline_cut(lines, in_view={1}, new=set(), cut=Cut(max_chars=9000, scope="viewport"))
    assert lines_shown[:2] == ['region "Task"', "  text: Count."]
    assert lines_shown[2].startswith("... ")
    assert len(lines_shown) == 3


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('  heading 2 "House rules"', "House rules"),
        ('region "A "quoted" part"', 'A "quoted" part'),
        ('[e4] button "Go"', ""),
        ("main", ""),
    ],
)
def test_a_section_is_called_as_its_line_says(line: str, name: str) -> None:
    assert name_section(line) == name


BEFORE = 'page "A" https://gym/a\nmain\n  [e1] textbox "Name" value=""\n  text: Old\n' + "  text: same\n" * 40
AFTER = BEFORE.replace('value=""', 'value="Ada"').replace("Old", "New")


def test_an_unchanged_page_has_no_difference() -> None:
    assert outline_diff(BEFORE, BEFORE) == ""


def test_a_difference_holds_what_changed_and_where_it_is() -> None:
    assert outline_diff(BEFORE, AFTER).split("\n") == [
        'page "A" https://gym/a',
        CHANGED,
        "  main",
        '-   [e1] textbox "Name" value=""',
        "-   text: Old",
        '+   [e1] textbox "Name" value="Ada"',
        "+   text: New",
    ]


def test_another_page_is_given_whole() -> None:
    other = AFTER.replace("https://gym/a", "https://gym/b")
    assert outline_diff(BEFORE, other) == other


def test_a_difference_longer_than_the_page_is_the_page() -> None:
    short = 'page "A" https://gym/a\ntext: one\ntext: two'
    assert outline_diff(BEFORE, short) == short


def test_many_lines_that_are_gone_are_counted() -> None:
    before = "\n".join(['page "A" x', *(f"text: line {n}" for n in range(30)), *["text: stays"] * 30])
    after = "\n".join(['page "A" x', *["text: stays"] * 30])
    assert "- ... and 29 more lines after it" in outline_diff(before, after)


def test_a_line_with_another_id_is_not_new() -> None:
    assert lines_new('[e1] button "A"\ntext: b', '  [e9] button "A"\ntext: c') == {1}
