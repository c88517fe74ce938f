"""REST calls for components, learned rewards and profiles, and the records of rewards."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query
from core.api.schema import call
from core.structs.fields import string
from trajectories.record.api.auth import caller
from trajectories.rewards import registry, selectors
from trajectories.rewards.learned.store import list_shown_models
from trajectories.rewards.learned.types import Card
from trajectories.rewards.profiles import store
from trajectories.rewards.profiles.types import Profile
from trajectories.rewards.types import Level

EPISODES_MAX = 1_000
REFERENCE_CHARS = 140
PROFILE_HELP = "A profile's name, or `name@hash`. The default is the run's profile."


class ProfileQuery(Query, kw_only=True):
    profile: Annotated[str, string(REFERENCE_CHARS, may_be_blank=True), Meta(description=PROFILE_HELP)] = ""


class RewardsQuery(ProfileQuery, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=EPISODES_MAX)] = 100


class ComponentRecord(Struct, frozen=True, kw_only=True):
    """A reward component. If ``is_family`` is true, its values are named ``id/name``."""

    id: str
    title: str
    description: str
    unit: str
    reads: str
    level: Level
    low: float
    high: Annotated[float | None, Meta(description="Null if there is no upper bound.")]
    is_family: bool
    version: int


class ComponentList(Struct, frozen=True):
    results: list[ComponentRecord]


class ProfileRecord(Struct, frozen=True, kw_only=True):
    """A stored profile. ``reference`` always refers to exactly this profile; a name alone refers to the
    newest profile with that name.
    """

    reference: str
    sha256: str
    profile: Profile


class ProfileList(Struct, frozen=True):
    results: list[ProfileRecord]


class LearnedReward(Struct, frozen=True, kw_only=True):
    """A learned model with its card. ``component`` is the name of its values. If ``may_pay`` is true, the
    profile of a training run may use it.
    """

    component: str
    name: str
    sha256: str
    may_pay: bool
    created_at: datetime
    card: Card


class LearnedRewardList(Struct, frozen=True):
    results: list[LearnedReward]


class RewardsPage(Struct, frozen=True):
    results: list[selectors.Rewards]
    next: str | None


class ComponentsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "reward_components",
        "List the reward components",
        answers={200: (ComponentList, "All components, sorted by id.")},
    )
    def get(self, request: Request) -> Response:
        results = [
            convert(one, ComponentRecord, from_attributes=True) for _, one in registry.COMPONENTS.items()
        ]
        return Response(to_builtins(ComponentList(results)))


class LearnedRewardsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "learned_reward_list",
        "List learned rewards with their cards",
        description="A card contains what was measured on held-out tasks for a model that this installation "
        "has fitted: how well it ranks, where it fails, and how it can be fooled.",
        answers={200: (LearnedRewardList, "The newest 100 models, including those that may not pay.")},
    )
    def get(self, request: Request) -> Response:
        results = [
            LearnedReward(
                component=model.component,
                name=model.card.name,
                sha256=model.sha256,
                may_pay=model.may_pay,
                created_at=model.created_at,
                card=model.card,
            )
            for model in list_shown_models(caller(request))
        ]
        return Response(to_builtins(LearnedRewardList(results)))


class ProfilesView(APIView):
    scopes = {"GET": "read", "POST": "trainer"}

    @call(
        "reward_profile_store",
        "Store a reward profile",
        description="A profile defines how components become one number. Sending the same content again "
        "gives the same profile. A profile that could pay a wrong answer as much as a right one is refused, "
        "unless it sets `allow_shaping_over_outcome`.",
        body=Profile,
        answers={
            201: (ProfileRecord, "The profile was stored."),
            200: (ProfileRecord, "The profile already existed."),
        },
        errors=(400, 409, 422),
    )
    def post(self, request: Request) -> Response:
        named, is_new = store.profile_store(request.data, viewer=caller(request))
        return Response(_record(named), status=201 if is_new else 200)

    @call(
        "reward_profile_list",
        "List reward profiles",
        answers={200: (ProfileList, "The gym's own profiles, then stored ones, newest first.")},
    )
    def get(self, request: Request) -> Response:
        return Response({"results": [_record(named) for named in store.list_profiles(caller(request))]})


def _record(named: store.Named) -> Any:
    return to_builtins(ProfileRecord(reference=named.reference, sha256=named.sha256, profile=named.profile))
