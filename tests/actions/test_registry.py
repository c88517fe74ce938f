"""Adding an action type to the server is one new file: everything else reads the registry."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from palaestra.protocol.action_results import UNDONE, ActionResult
from palaestra.protocol.actions import ACTION_SPECS, ActionSpec, FieldSpec
from tests import factories
from trajectories.actions import builtin, types
from trajectories.actions.checks import CHECKS, CheckId
from trajectories.actions.marks import Marks
from trajectories.actions.rules import NOT_PERFORMED, RESULTS, nothing_expected
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent
from trajectories.behaviour.facts import behaviour
from trajectories.behaviour.facts.action_check import episode_check
from trajectories.behaviour.facts.types import CheckContext
from trajectories.record.capture.marks import marks_of
from trajectories.rollouts.episodes import step_records
from trajectories.shell.queries.timeline import timeline_cells
from trajectories.shell.text.actions import action_phrase, check_label

SPEC = ActionSpec(
    "spin", "Spin an element.", fields=(FieldSpec("target", "Which."), FieldSpec("to", "Where to stop."))
)
SPIN = {"type": "spin", "target": "e1", "to": "e2"}


def _spun(step: DeclaredStep, record: PageRecord) -> Finding:
    drags = record.events_of(step.index, "drop")
    return Finding(kind="confirmed", explained=drags) if drags else Finding(kind="missing", detail="no drop")


@pytest.fixture
def spin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types.ACTIONS, "_items", dict(types.ACTIONS._items))
    monkeypatch.setitem(ACTION_SPECS, "spin", SPEC)
    types.register(
        ActionType(
            spec=SPEC,
            rule=_spun,
            object="to",
            verbs=("pull",),
            marks=lambda action, events, scrolled: Marks(text="spun"),
            labels={"confirmed": "Dropped"},
        )
    )


def test_every_file_registers_the_action_of_its_name() -> None:
    """Those of which a page has nothing to report share one."""
    files = {path.stem for path in Path(builtin.__path__[0]).glob("*.py") if not path.stem.startswith("_")}
    assert files - {"silent"} == {
        id_ for id_, kind in types.ACTIONS.items() if kind.rule is not nothing_expected
    }


def test_every_action_with_a_spec_is_known_to_the_server() -> None:
    assert set(types.ACTIONS) == set(ACTION_SPECS)


def test_an_action_with_the_id_of_another_is_refused() -> None:
    with pytest.raises(ValueError, match="click"):
        types.register(ActionType(spec=ActionSpec("click", "Another."), rule=_spun))


def test_every_result_code_and_check_has_a_record() -> None:
    assert set(get_args(ActionResult)) == set(RESULTS)
    assert set(NOT_PERFORMED) == UNDONE
    assert set(get_args(CheckId)) == set(CHECKS)


def test_the_object_and_the_marked_fields_of_an_action_are_among_its_fields() -> None:
    assert all(
        kind.object in ("", *(one.name for one in kind.spec.fields)) for _, kind in types.ACTIONS.items()
    )


@pytest.mark.usefixtures("spin")
def test_a_new_action_is_checked_by_its_own_rule() -> None:
    step = DeclaredStep(index=1, action=SPIN)
    load, drop = ReportedEvent(kind="settled", step=1), ReportedEvent(kind="drop", step=1)
    assert episode_check([step], [load, drop], CheckContext()).checks[1].kind == "confirmed"
    check = episode_check([step], [load], CheckContext()).checks[1]
    assert (check.kind, check.detail) == ("no_effect", "no drop")


@pytest.mark.usefixtures("spin")
def test_a_new_action_is_phrased_labelled_drawn_and_documented() -> None:
    phrase = action_phrase(SPIN)
    assert (phrase.verb, phrase.what, phrase.where) == ("spin", "e2", "e1")
    assert check_label("confirmed", action_type="spin") == "Dropped"
    assert marks_of(SPIN, ()).text == "spun"
    assert "`spin` (`target`, `to`)" in step_records.action_description()


@pytest.mark.usefixtures("spin")
def test_a_thought_that_announces_a_new_action_restates_it() -> None:
    action = {"type": "spin", "to": "basket"}
    assert behaviour.restated_share("pull basket", observation="", action=action) == 1.0


@pytest.mark.usefixtures("spin")
def test_the_timeline_shows_the_object_of_a_new_action(db: None) -> None:
    episode = factories.episode()
    factories.step(episode, 1, action=SPIN, action_type="spin")
    (cell,) = timeline_cells(episode_id=episode.pk, first=1, last=1)
    assert cell.phrase.what == "e2"
