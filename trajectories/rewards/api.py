"""The calls about components and profiles; runs' and episodes' rewards are read with them."""

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
PROFILE_HELP = "Name of a profile, or `name@hash`; by default that of the run."


class ProfileQuery(Query, kw_only=True):
    profile: Annotated[str, string(REFERENCE_CHARS, may_be_blank=True), Meta(description=PROFILE_HELP)] = ""


class RewardsQuery(ProfileQuery, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=EPISODES_MAX)] = 100


class ComponentRecord(Struct, frozen=True, kw_only=True):
    """A component. If ``is_family`` is true, values are named ``id/name``."""

    id: str
    title: str
    description: str
    unit: str
    reads: str
    level: Level
    low: float
    high: Annotated[float | None, Meta(description="Null where nothing bounds it.")]
    is_family: bool
    version: int


class ComponentList(Struct, frozen=True):
    results: list[ComponentRecord]


class ProfileRecord(Struct, frozen=True, kw_only=True):
    """``reference`` always means this very profile; the name alone means the newest of that name."""

    reference: str
    sha256: str
    profile: Profile


class ProfileList(Struct, frozen=True):
    results: list[ProfileRecord]


class LearnedReward(Struct, frozen=True, kw_only=True):
    """A model with its card. ``component`` names its values. With ``may_pay`` a profile of a training run may
    name it."""

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
        "List the components of rewards",
        answers={200: (ComponentList, "All components, by id.")},
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
        description="What was measured of each model that the installation has fitted, on tasks held apart: "
        "how well it ranks, where it fails, and how it can be fooled.",
        answers={200: (LearnedRewardList, "The newest hundred, those that may not pay included.")},
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
        description="How components become one number. The same content is the same profile. One under which "
        "a wrong answer could be paid like a right one is refused, unless it says "
        "`allow_shaping_over_outcome`.",
        body=Profile,
        answers={201: (ProfileRecord, "Stored."), 200: (ProfileRecord, "It was there.")},
        errors=(400, 409, 422),
    )
    def post(self, request: Request) -> Response:
        named, is_new = store.profile_store(request.data, viewer=caller(request))
        return Response(_record(named), status=201 if is_new else 200)

    @call(
        "reward_profile_list",
        "List reward profiles",
        answers={200: (ProfileList, "Those that come with the gym, then the newest first.")},
    )
    def get(self, request: Request) -> Response:
        return Response({"results": [_record(named) for named in store.list_profiles(caller(request))]})


def _record(named: store.Named) -> Any:
    return to_builtins(ProfileRecord(reference=named.reference, sha256=named.sha256, profile=named.profile))
