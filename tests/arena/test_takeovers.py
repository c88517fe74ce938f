"""The pages of a person who has taken over, and what they are to others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.db.models.functions import Now

from gymsite.arena import callers, takeovers, tool_calls
from gymsite.arena.sites import events
from gymsite.arena.sites.site import Event
from palaestra.protocol.arms import PAGE_ARMS
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent, Step, Submission, Takeover
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import takeovers as turns
from trajectories.rollouts.judging import reaper

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
ANYBODY = Principal(key_id=0, name="test", scopes=frozenset({"trainer"}), splits=frozenset(), project=None)
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def episode() -> Episode:
    return factories.episode()


@pytest.fixture
def root(episode: Episode, arena_client: ArenaClient) -> str:
    """The path of the person's pages, who has followed the link."""
    response = arena_client.get(f"/takeover/{taken(episode)}")
    assert response.status_code == 303
    return str(response["Location"]).removesuffix("takeover/")


def taken(episode: Episode) -> str:
    """The code of the link of a new takeover."""
    record = turns.takeover_begin(episode_id=episode.pk, person="Ada", principal=ANYBODY)
    return str(record["url"]).rpartition("/")[2]


@pytest.fixture
def act(arena_client: ArenaClient, root: str) -> Callable[..., Any]:
    def send(index: int, action: dict[str, Any] | None = None, **fields: Any) -> Any:
        step = {"index": index, "action": action or {"type": "click", "target": "e1"}, **fields}
        body = msgspec.json.encode(step)
        return arena_client.post(f"{root}takeover/steps", body, content_type="application/json")

    return send


def arrive(client: ArenaClient, root: str, address: str = "") -> Any:
    body = msgspec.json.encode({"address": address})
    return client.post(f"{root}takeover/arrive", body, content_type="application/json").json()


def test_the_link_works_once(episode: Episode, arena_client: ArenaClient) -> None:
    code = taken(episode)
    assert arena_client.get(f"/takeover/{code}").status_code == 303
    assert arena_client.get(f"/takeover/{code}").status_code == 410
    assert arena_client.get("/takeover/nothing").status_code == 410


def test_the_bar_stands_outside_the_page(root: str, arena_client: ArenaClient) -> None:
    outer = arena_client.get(f"{root}takeover/").content.decode()
    page = arena_client.get(root)
    inner = page.content.decode()
    assert "Hand back" in outer
    assert "Give up" in outer
    assert "Mark as correction" in outer
    assert "Hand back" not in inner
    assert f"{root}takeover/acts.js" in inner
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "SAMEORIGIN"


def test_pages_of_a_person_follow_their_browsers_scheme(root: str, arena_client: ArenaClient) -> None:
    outer = arena_client.get(f"{root}takeover/").content.decode()
    ended = arena_client.post(f"{root}takeover/end", "how=handed_back", content_type=FORM).content.decode()
    assert "Handed back" in ended
    assert "data-theme" not in outer + ended
    assert "data-theme" in arena_client.get("/e/nothing/").content.decode()


def test_an_agent_reaches_neither_bar_nor_script(
    episode: Episode, root: str, arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    step = {"index": 1, "action": {"type": "click", "target": "e1"}}
    for page in ("takeover/", "takeover/acts.js", "takeover/bar.js"):
        assert arena_client.get(address(episode, page)).status_code in (404, 409), page
    for page in (
        "takeover/steps",
        "takeover/arrive",
        "takeover/end",
        "takeover/correct",
        "takeover/restored",
    ):
        response = arena_client.post(address(episode, page), step, content_type="application/json")
        assert response.status_code in (404, 409), page
    assert not Step.objects.exists()
    assert Takeover.objects.get().ended_at is None
    other = factories.episode()
    page = arena_client.get(address(other))
    assert "takeover" not in page.content.decode()
    assert page["X-Frame-Options"] == "DENY"


def test_the_agent_has_no_pages_until_it_is_handed_back(
    episode: Episode, root: str, arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    response = arena_client.get(address(episode), headers={"X-Gym-Step": "1"})
    assert response.status_code == 409
    assert "A person has taken over" in response.content.decode()
    arena_client.post(address(episode, "submit"), "answer=42", content_type=FORM)
    assert not Submission.objects.exists()
    arena_client.post(f"{root}takeover/end", "how=handed_back", content_type=FORM)
    assert arena_client.get(address(episode), headers={"X-Gym-Step": "1"}).status_code == 200
    assert arena_client.get(root).status_code == 404
    assert arena_client.get(f"{root}takeover/").status_code == 410


def test_the_agent_answers_nothing_that_was_given_up(
    episode: Episode, root: str, arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    arena_client.post(f"{root}takeover/end", "how=given_up", content_type=FORM)
    assert arena_client.get(address(episode), headers={"X-Gym-Step": "1"}).status_code == 409
    arena_client.post(address(episode, "submit"), "answer=42", content_type=FORM)
    assert not Submission.objects.exists()


def test_acts_become_steps_of_the_run(
    episode: Episode, root: str, arena_client: ArenaClient, act: Callable[..., Any]
) -> None:
    arena_client.get(root)
    assert arrive(arena_client, root) == {
        "next": 1, "begun": 0, "restoring": None, "ids": "", "acts": [],
    }  # fmt: skip
    seen = {"text": 'page "A" https://gym/', "url": "https://gym/", "element_ids": "k1 k2"}
    assert act(1, {"type": "type", "target": "e2", "text": "ä", "clear": True}, **seen).status_code == 200
    assert act(2, leads=True, target_path="1/0", element_ids="k3").status_code == 200
    first, second = Step.objects.filter(episode=episode).order_by("index")
    assert (first.actor, first.segment, first.action_result) == ("person", "correction", "ok")
    assert first.raw == 'Action: {"type": "type", "target": "e2", "text": "ä", "clear": true}'
    assert (first.observation_kind, first.observation_text) == ("axtree-v2", seen["text"])
    assert (first.url, first.more) == ("https://gym/", {"element_ids": "k1 k2"})
    assert second.more == {"target_path": "1/0", "element_ids": "k3"}
    assert arrive(arena_client, root)["ids"] == "k1 k2 k3"
    episode.refresh_from_db()
    assert (episode.max_steps, episode.person_steps) == (8, 2)


def test_a_step_is_stored_once_and_in_its_turn(act: Callable[..., Any]) -> None:
    assert act(1).status_code == 200
    assert act(1).status_code == 200
    assert act(1, {"type": "click", "target": "e9"}).status_code == 409
    assert act(3).status_code == 409
    assert act(2, {"type": "explode"}).status_code == 400
    assert list(Step.objects.values_list("index", flat=True)) == [1]


def test_a_step_of_the_agent_that_came_first_stays(
    episode: Episode, root: str, arena_client: ArenaClient, act: Callable[..., Any]
) -> None:
    factories.step(episode, 1)
    assert act(1).status_code == 409
    assert arrive(arena_client, root)["next"] == 2
    assert act(2).status_code == 200
    assert list(Step.objects.order_by("index").values_list("actor", flat=True)) == ["policy", "person"]
    lease = Takeover.objects.get()
    assert (lease.begins_after, lease.last_index) == (1, 2)
    episode.refresh_from_db()
    assert episode.person_steps == 1


def test_what_the_agent_sends_late_changes_no_site() -> None:
    episode = factories.episode(variation={"tools": ["run"]})
    taken(episode)
    context: dict[str, Any] = {"episode_id": episode.pk, "arms": list(PAGE_ARMS), "step": None}
    written: list[Event] = [("written", {})]
    assert events.events_append(**context, seen=0, events=written) == "gone"
    assert tool_calls.call_store(**context, tool="run", text="1") == "gone"
    takeover = Takeover.objects.get().pk
    assert events.events_append(**context, seen=0, events=written, takeover=takeover) == "stored"
    assert tool_calls.call_store(**context, tool="run", text="1", takeover=takeover) == "stored"


def test_what_is_done_again_is_handed_out_once(root: str, arena_client: ArenaClient) -> None:
    acts = [{"type": "click", "target": "e1"}]
    Takeover.objects.update(as_of=1, acts=[{"address": "", "as_of": 1, "acts": acts}])
    first, second = arrive(arena_client, root), arrive(arena_client, root)
    assert (first["acts"], first["restoring"]) == (acts, 1)
    # What it led to is another document: it is not done there again, and the page is still of the past.
    assert (second["acts"], second["restoring"]) == ([], 1)
    assert restore(arena_client, root, as_of=1) == {}
    assert arrive(arena_client, root)["restoring"] is None


def restore(client: ArenaClient, root: str, **fields: Any) -> Any:
    body = msgspec.json.encode(fields)
    return client.post(f"{root}takeover/restored", body, content_type="application/json").json()


def test_a_fork_is_led_through_the_documents_on_its_way(root: str, arena_client: ArenaClient) -> None:
    click = {"type": "click", "target": "e1"}
    visits = [{"address": "", "as_of": 1, "acts": [click]}, {"address": "b?x=1", "as_of": 4, "acts": []}]
    Takeover.objects.update(as_of=1, acts=visits, expected="the page")
    assert arrive(arena_client, root)["acts"] == [click]
    assert restore(arena_client, root, as_of=1, text="another page") == {"address": "b?x=1"}
    assert restore(arena_client, root, as_of=1, text="another page") == {"address": "b?x=1"}
    assert arrive(arena_client, root, "b?x=1") | {"next": 1} == {
        "next": 1, "begun": 0, "restoring": 4, "ids": "", "acts": [],
    }  # fmt: skip
    assert restore(arena_client, root, as_of=4, text="the page") == {}
    assert Takeover.objects.get().ended_at is None


def test_a_fork_whose_page_differs_ends_as_void(
    episode: Episode, root: str, arena_client: ArenaClient, act: Callable[..., Any]
) -> None:
    Takeover.objects.update(as_of=1, expected="one\ntwo", acts=[{"address": "", "as_of": 1, "acts": []}])
    assert restore(arena_client, root, as_of=1, text="one\nthree") == {"again": True}
    assert Takeover.objects.get().ended_at is None
    problem = restore(arena_client, root, as_of=1, text="one\nthree", again=True)["problem"]
    assert "After step 0 the page differs: -two; +three" in problem
    assert act(1).status_code == 410
    page = arena_client.get(f"{root}takeover/").content.decode()
    assert "could not be restored" in page
    assert reaper.given_up_end() == 1
    episode.refresh_from_db()
    assert (episode.close_reason, episode.close_detail) == (
        "fork_diverged",
        "After step 0 the page differs: -two; +three",
    )
    assert episode.verdict is not None
    assert (episode.verdict.outcome, episode.verdict.reason) == ("void", "fork_diverged")


GAP = '  ... 1,200 more characters: read "page" or scroll'


@pytest.mark.parametrize(
    ("recorded", "shown", "differing"),
    [
        ([], "a", []),
        (["a", "b"], "a b", []),
        (["a", "b"], "a b c", ["+c"]),
        (["a", GAP, "d"], "a b c d", []),
        (["a", GAP], "a b c d", []),
        (["a", GAP, "d"], "a b c e", ["-d"]),
        (["a", GAP, "c", GAP, "e"], "a b c d e", []),
        (["a", "b", GAP, "a"], "b a", ["its lines are in a different order"]),
        (["a", "(cut here: 100001 characters in all)"], "a b", []),
    ],
)
def test_lines_that_were_left_out_are_not_compared(
    recorded: list[str], shown: str, differing: list[str]
) -> None:
    lines = shown.replace(" ", "\n")
    assert takeovers.compare_lines("\n".join(recorded), lines) == differing


def test_what_the_page_says_decides_neither_actor_nor_segment(act: Callable[..., Any]) -> None:
    assert act(1, actor="policy").status_code == 400
    assert act(1, segment="recovery").status_code == 400


def test_what_follows_the_mark_is_a_correction(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    root = arena_client.get(f"/takeover/{taken(episode)}")["Location"].removesuffix("takeover/")
    send = "application/json"
    step = {"index": 2, "action": {"type": "back"}}
    arena_client.post(f"{root}takeover/steps", step, content_type=send)
    assert arena_client.post(f"{root}takeover/correct").status_code == 303
    arena_client.post(f"{root}takeover/steps", {**step, "index": 3}, content_type=send)
    segments = Step.objects.filter(actor="person").order_by("index").values_list("segment", flat=True)
    assert list(segments) == ["recovery", "correction"]


def test_documents_have_the_number_of_the_act_that_led_to_them(
    episode: Episode, root: str, arena_client: ArenaClient, act: Callable[..., Any]
) -> None:
    def served() -> list[int | None]:
        rows = SiteEvent.objects.filter(episode=episode, kind="page_served").order_by("seq")
        return list(rows.values_list("step", flat=True))

    arena_client.get(root, headers={"Sec-Fetch-Dest": "iframe"})
    arrive(arena_client, root)
    assert act(1, leads=True).status_code == 200
    arena_client.get(root)
    arrive(arena_client, root)
    assert served() == [None, 1]
    # The browser's own button: the document is a step of its own.
    page = arena_client.get(root).content.decode()
    assert served() == [None, 1, 2]
    assert 'data-step="2"' in page
    arrive(arena_client, root)
    assert act(2, {"type": "back"}).status_code == 200


def test_a_person_submits_the_answer(episode: Episode, root: str, arena_client: ArenaClient) -> None:
    arena_client.get(root)
    response = arena_client.post(f"{root}submit", "answer=42", content_type=FORM, follow=True)
    assert "Your answer has been recorded" in response.content.decode()
    assert Submission.objects.get(episode=episode).answer == "42"
    assert "there is nothing more to do" in arena_client.get(f"{root}takeover/").content.decode()


def test_a_session_ends_by_itself_when_nothing_is_done(
    root: str, arena_client: ArenaClient, act: Callable[..., Any]
) -> None:
    Takeover.objects.update(last_at=Now() - timedelta(hours=1))
    assert act(1).status_code == 410
    assert arena_client.get(f"{root}takeover/").status_code == 410
    assert not Step.objects.exists()


def test_function_calls_are_written_as_such() -> None:
    raw = takeovers.write_raw({"type": "click", "target": "e1"}, grammar="functions", index=3)
    call = {"id": "call_3", "name": "click", "arguments": '{"target": "e1"}'}
    assert msgspec.json.decode(raw) == {"content": "", "tool_calls": [call]}


@pytest.mark.parametrize("name", ["ids.js", "axtree.js"])
def test_elements_are_named_as_by_the_client(name: str) -> None:
    client = ROOT / "client" / "src" / "palaestra" / "js" / name
    assert (takeovers.SCRIPTS / name).read_text() == client.read_text()


@pytest.mark.parametrize(
    "address", ["//elsewhere.example/", "../../e/x/", "javascript:alert(1)", "/static/a"]
)
def test_the_frame_never_leaves_the_episode(address: str, root: str, arena_client: ArenaClient) -> None:
    arrive(arena_client, root, address)
    assert Takeover.objects.get().entry == ""
    assert turns.address_of(turns.PUBLIC_ROOT + address, address) == ""
    assert callers.DOCUMENTS == ("document", "iframe")
