"""Services that request, cancel and repeat exports."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models.functions import Now
from msgspec.structs import replace

from core.episodes import splits
from core.errors import GymError
from tasks_app.registry import benchmarks
from trajectories.exports import sources
from trajectories.exports.parameters import Parameters, parameters_store
from trajectories.exports.registry import KINDS
from trajectories.exports.types import EpisodeKind
from trajectories.models import AnnotationProject, Export, Run
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.models.origins import Origin
from trajectories.record.projects import Sight
from trajectories.rewards.profiles.store import check_may_pay, profile_get
from trajectories.rewards.profiles.types import Profile

OPEN = (Export.WAITING, Export.DOING)


@dataclass(frozen=True, kw_only=True)
class Author:
    """The author of an export.

    ``splits`` and ``project`` limit what the author may see, unless they are empty.
    """

    name: str
    project: str | None = None
    splits: frozenset[str] = frozenset()
    sees_golds: bool = False
    sees_solutions: bool = False  # solutions in few-shot examples, which are part of prompts
    sees_guidance: bool = False
    unlocks: bool = False
    key_id: int | None = None
    user_id: int | None = None


def export_request(
    kind_id: str, parameters: Parameters, *, author: Author, project: str = DEFAULT_PROJECT
) -> Export:
    """Request an export, which the housekeeper sends to a worker.

    ``project`` is used only for authors without a project. Raises ``GymError`` 403 ``missing_scope``,
    ``hidden_split`` or ``locked_split``; 422 ``no_revisions``, ``no_segments`` or ``no_profile``; an error
    for unknown names; and the errors of ``check_may_pay`` if the profile would pay in training runs.
    """
    kind = KINDS.get(kind_id)
    _check_rights(parameters, author)
    _check_options(kind, parameters)
    project = author.project or project
    _check_known(parameters, project)
    profile = profile_get(parameters.reward_profile, viewer=Sight(project=project))
    # The defaults are stored, so that pages and manifests show which episodes were taken.
    parameters = replace(
        parameters,
        outcomes=parameters.outcomes or list(kind.outcomes),
        origins=parameters.origins or list(kind.origins),
        solutions=author.sees_solutions,
        reward_profile=profile.reference if "reward_profile" in kind.options else "",
    )
    if parameters.reward_profile:
        _check_paid(profile.profile, parameters, Sight(project, author.splits))
    return Export.objects.create(
        kind=kind.id,
        project=project,
        parameters=parameters_store(parameters),
        splits=sorted(author.splits),
        has_golds=parameters.golds,
        has_locked=parameters.locked,
        key_id=author.key_id,
        user_id=author.user_id,
        author=author.name,
        requested_at=Now(),
    )


def export_cancel(export: Export) -> None:
    """Cancel an export; its worker stops at its next batch. Raises ``GymError`` 409 if it has ended."""
    open_ = Export.objects.filter(pk=export.pk, state__in=OPEN)
    if not open_.update(
        state=Export.State.CANCELLED, requested_at=None, sent_at=None, finished_at=Now(), result={}
    ):
        raise GymError(
            "export_ended", f"Export {export.pk} has ended, so it cannot be cancelled.", status=409
        )


def export_again(export: Export) -> None:
    """Run an export again. Raises ``GymError`` 409 while it is in progress."""
    ended = Export.objects.filter(pk=export.pk).exclude(state__in=OPEN)
    fields = {"problem": "", "result": {}, "done": 0, "total": 0, "claims": 0}
    dates = {"sent_at": None, "finished_at": None, "expires_at": None}
    if not ended.update(state=Export.State.WAITING, requested_at=Now(), **fields, **dates):
        raise GymError("export_open", f"Export {export.pk} has not ended yet.", status=409)


def _check_options(kind: EpisodeKind, parameters: Parameters) -> None:
    if "revisions" in kind.options and not parameters.revisions:
        message = "Add revision thoughts, because this kind puts one of them between two attempts."
        raise GymError("no_revisions", message, status=422, fields={"revisions": [message]})
    if parameters.segments and "segments" not in kind.options:
        message = "Only rows of single steps can be filtered by segment. Choose a kind with this option."
        raise GymError("no_segments", message, status=422, fields={"segments": [message]})
    if parameters.reward_profile and "reward_profile" not in kind.options:
        message = "Only the kind 'rewards' uses a reward profile. Choose that kind."
        raise GymError("no_profile", message, status=422, fields={"reward_profile": [message]})


def _check_rights(parameters: Parameters, author: Author) -> None:
    if parameters.golds and not author.sees_golds:
        raise GymError("missing_scope", "Golds are exported only with the scope 'golds'.", status=403)
    if Origin.GUIDED in parameters.origins and not author.sees_guidance:
        message = "Guided episodes are exported only with the scope 'guidance' or 'golds'."
        raise GymError("missing_scope", message, status=403)
    if parameters.locked and not author.unlocks:
        message = "Locked splits are exported only with the scope 'admin', and that is recorded."
        raise GymError("missing_scope", message, status=403)
    hidden = sorted(split for split in parameters.splits if author.splits and split not in author.splits)
    if hidden:
        message = f"The key {author.name!r} does not see the split {hidden[0]!r}."
        raise GymError("hidden_split", message, status=403, fields={"splits": [message]})
    locked = [split for split in parameters.splits if not splits.is_training(split)]
    if locked and not parameters.locked:
        message = (
            f"The split {locked[0]!r} is locked, because training on it would spoil it for evaluation. "
            "Staff, and keys with the scope 'admin', can export it by allowing locked splits "
            "(`locked: true`), which is recorded."
        )
        raise GymError("locked_split", message, status=403, fields={"splits": [message]})


def _check_paid(profile: Profile, parameters: Parameters, viewer: Sight) -> None:
    """Check that the profile may pay, if the export includes episodes of training runs."""
    episodes = sources.filter_episodes(parameters, viewer=viewer)
    if not episodes.filter(run__kind=Run.Kind.TRAIN).exists():
        return
    try:
        check_may_pay(profile, viewer=viewer)
    except GymError as error:
        error.fields = {"reward_profile": [error.message]}
        raise


def _check_known(parameters: Parameters, project: str) -> None:
    runs = Run.objects.filter(pk__in=parameters.runs, project=project)
    known = set(runs.values_list("pk", flat=True))
    for run in parameters.runs:
        if run not in known:
            message = f"There is no run {run}."
            raise GymError("unknown_run", message, status=422, fields={"runs": [message]})
    for benchmark in parameters.benchmarks:
        try:
            benchmarks.get(benchmark)
        except GymError as error:
            error.fields = {"benchmarks": [error.message]}
            raise
    labels = parameters.labels
    if labels and not AnnotationProject.objects.filter(pk=labels.project, project=project).exists():
        message = f"There is no annotation project {labels.project}."
        raise GymError("unknown_project", message, status=422, fields={"labels": [message]})
