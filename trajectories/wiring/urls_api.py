"""URLs of the REST API, under ``/api/v1/``."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt

from core.web import converters
from trajectories.annotation import api as labels
from trajectories.exports import api as exports
from trajectories.judges.api import JudgesView
from trajectories.record.api import system
from trajectories.record.blobs import api as blobs
from trajectories.reports import api as reports
from trajectories.reports.pages import api as report_files
from trajectories.reports.training import api as training
from trajectories.rewards import api as rewards
from trajectories.rollouts.episodes import abstractions, takeovers, trees
from trajectories.rollouts.episodes import api as episodes
from trajectories.rollouts.episodes.api import EpisodeRewardsView
from trajectories.rollouts.episodes.forks import api as forks
from trajectories.rollouts.episodes.interventions import creation as interventions
from trajectories.rollouts.episodes.prefixes import RunPrefixesView
from trajectories.rollouts.episodes.retrieval import api as retrieval
from trajectories.rollouts.episodes.tool_calls import ToolCallsView
from trajectories.rollouts.runs import api as runs
from trajectories.rollouts.samplers import api as samplers

converters.converters_register()

urlpatterns = [
    path("health", system.HealthView.as_view()),
    path("capacity", system.CapacityView.as_view()),
    path("heartbeat", system.HeartbeatView.as_view()),
    path("schema", system.SchemaView.as_view(), name="api_schema"),
    path("docs", system.DocsView.as_view()),
    path("tasks/stats", retrieval.TaskStatsView.as_view()),
    path("runs", runs.RunsView.as_view()),
    path("runs/<id:run_id>", runs.RunView.as_view()),
    path("runs/<id:run_id>/policy", runs.PolicyView.as_view()),
    path("runs/<id:run_id>/metrics", runs.MetricsView.as_view()),
    path("runs/<id:run_id>/prompt_sizes", runs.PromptSizesView.as_view()),
    path("runs/<id:run_id>/training", runs.TrainingView.as_view()),
    path("runs/<id:run_id>/cancel", runs.CancelView.as_view()),
    path("runs/<id:run_id>/groups", runs.GroupsView.as_view()),
    path("runs/<id:run_id>/rewards", runs.RunRewardsView.as_view()),
    path("runs/<id:run_id>/successes", runs.SuccessesView.as_view()),
    path("runs/<id:run_id>/behaviour", runs.BehaviourView.as_view()),
    path("runs/<id:run_id>/twins", runs.PairedTasksView.as_view()),
    path("runs/<id:run_id>/trajectories", retrieval.RunTrajectoriesView.as_view()),
    path("samplers", samplers.SamplersView.as_view()),
    path("samplers/<id:sampler_id>", samplers.SamplerView.as_view()),
    path("samplers/<id:sampler_id>/draw", samplers.DrawView.as_view()),
    path("samplers/<id:sampler_id>/draws", samplers.DrawsView.as_view()),
    path("transfer", training.TransferView.as_view()),
    path("reports", reports.ReportsView.as_view()),
    path("reports/<id:report_id>", reports.ReportView.as_view()),
    path("reports/<id:report_id>/rows", reports.RowsView.as_view()),
    path("reports/<id:report_id>/files", report_files.FilesView.as_view()),
    path("reports/<id:report_id>/files/<file_name:name>", report_files.FileView.as_view()),
    path("reports/<id:report_id>/compute", reports.ComputeView.as_view()),
    path("groups/<id:group_id>/refill", forks.RefillView.as_view()),
    path("episodes", retrieval.EpisodesView.as_view()),
    path("episodes/<id:episode_id>", retrieval.EpisodeView.as_view()),
    path("episodes/<id:episode_id>/close", episodes.CloseView.as_view()),
    path("episodes/<id:episode_id>/resume", episodes.ResumeView.as_view()),
    path("episodes/<id:episode_id>/fork", forks.ForkView.as_view()),
    path("episodes/<id:episode_id>/restore", forks.RestoreView.as_view()),
    path("episodes/<id:episode_id>/tool_calls", ToolCallsView.as_view()),
    path("episodes/<id:episode_id>/takeover", takeovers.TakeoverView.as_view()),
    path("episodes/<id:episode_id>/takeover/end", takeovers.TakeoverEndView.as_view()),
    path("episodes/<id:episode_id>/tree", trees.TreeView.as_view()),
    path("episodes/<id:episode_id>/values", trees.ValuesView.as_view()),
    path("episodes/<id:episode_id>/interventions", interventions.EpisodeInterventionsView.as_view()),
    path("episodes/<id:episode_id>/substeps", interventions.SubstepsView.as_view()),
    path("episodes/<id:episode_id>/rewards", EpisodeRewardsView.as_view()),
    path("episodes/<id:episode_id>/messages", retrieval.EpisodeMessagesView.as_view()),
    path("episodes/<id:episode_id>/trajectory", retrieval.TrajectoryView.as_view()),
    path("episodes/<id:episode_id>/labels", labels.EpisodeLabelsView.as_view()),
    path("abstractions", abstractions.AbstractionsView.as_view()),
    path("abstractions/<id:abstraction_id>", abstractions.AbstractionView.as_view()),
    path("runs/<id:run_id>/prefixes", RunPrefixesView.as_view()),
    path("runs/<id:run_id>/abstractions", abstractions.RunAbstractionsView.as_view()),
    path("interventions", interventions.InterventionsView.as_view()),
    path("interventions/<id:intervention_id>", interventions.InterventionView.as_view()),
    path("forks", forks.ForksView.as_view()),
    path("rewards/components", rewards.ComponentsView.as_view()),
    path("rewards/learned", rewards.LearnedRewardsView.as_view()),
    path("rewards/judges", JudgesView.as_view()),
    path("rewards/profiles", rewards.ProfilesView.as_view()),
    path("exports", exports.ExportsView.as_view()),
    path("exports/kinds", exports.KindsView.as_view()),
    path("exports/<id:export_id>", exports.ExportView.as_view()),
    path("exports/<id:export_id>/cancel", exports.ExportCancelView.as_view()),
    path("exports/<id:export_id>/again", exports.ExportAgainView.as_view()),
    path("exports/<id:export_id>/files/<file_name:name>", exports.ExportFileView.as_view()),
    path("labels", labels.LabelsView.as_view()),
    path("blobs/missing", blobs.BlobsMissingView.as_view()),
    path("blobs/<sha256:sha256>", blobs.BlobView.as_view()),
    re_path("^", csrf_exempt(system.not_found)),
]
