"""URLs of the lab's pages."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path
from django.views.generic import RedirectView

from core.web import converters
from trajectories.annotation.pages import adjudication_views as adjudication
from trajectories.annotation.pages import agreement_views as agreement
from trajectories.annotation.pages import file_views as files
from trajectories.annotation.pages import gold_views as gold
from trajectories.annotation.pages import machine_views as machines
from trajectories.annotation.pages import project_views as annotation
from trajectories.annotation.pages import queue_views as queue
from trajectories.annotation.pages import rate_views as rates
from trajectories.exports.pages import views as exports
from trajectories.judges.pages import page as judges
from trajectories.judges.run_rewards import page as rewards
from trajectories.lab.bookmarks import views as bookmarks
from trajectories.lab.compare import page as compare
from trajectories.lab.episode import page as episode
from trajectories.lab.episode_files import views as export
from trajectories.lab.keys import views as keys
from trajectories.lab.login.views import LabLoginView
from trajectories.lab.palette.page import palette
from trajectories.lab.peek import page as peek
from trajectories.lab.run_comparison.page import runs_compare
from trajectories.lab.search import page as search
from trajectories.lab.search.exports import EXPORTS
from trajectories.lab.step import conversation, media_views
from trajectories.lab.step import interventions as takeover
from trajectories.lab.step import views as step
from trajectories.lab.system.page import system
from trajectories.lab.tasks import pages as tasks
from trajectories.reports.pages import views as reports
from trajectories.reports.training.pages import views as training
from trajectories.rewards.learned.pages import page as learned
from trajectories.rollouts.runs.pages import pages as runs
from trajectories.rollouts.samplers.pages import page as samplers
from trajectories.shell.access import annotator_action, lab_page

converters.converters_register()

EPISODE = "episodes/<id:episode_id>"
STEP = f"{EPISODE}/steps/<id:index>"
PROJECT = "annotation/<id:project_id>"
DISAGREEMENT = f"{PROJECT}/disagreements/<id:unit_id>"


def _alias(address: str, *, of: str, name: str) -> URLPattern:
    """Return a redirect to a page from another address, such as a guess or one with a final slash."""
    return path(address, lab_page(RedirectView.as_view(pattern_name=of, query_string=True)), name=name)


urlpatterns = [
    path("", runs.run_list, name="runs"),
    _alias("runs/", of="runs", name="runs_named"),
    path("runs/compare", runs_compare, name="runs_compare"),
    path("runs/<id:run_id>/", runs.run_detail, name="run"),
    path("runs/<id:run_id>/peek", peek.run_peek, name="run_peek"),
    path("runs/<id:run_id>/live", runs.run_live, name="run_live"),
    path("runs/<id:run_id>/pair", runs.run_pair, name="run_pair"),
    path("runs/<id:run_id>/curation", samplers.sampler_list, name="samplers"),
    path("runs/<id:run_id>/rewards/", rewards.run_rewards, name="rewards"),
    path("runs/<id:run_id>/training", training.training_detail, name="training"),
    path("runs/<id:run_id>/training/<file_name:name>", training.training_file, name="training_file"),
    path("transfer/", training.transfer_detail, name="transfer"),
    path("transfer/<file_name:name>", training.transfer_file, name="transfer_file"),
    path("reports/", reports.report_list, name="reports"),
    path("reports/<id:report_id>/", reports.report_detail, name="report"),
    path("reports/<id:report_id>/items", reports.report_items, name="report_items"),
    path("reports/<id:report_id>/compute", reports.report_compute, name="report_compute"),
    path("reports/<id:report_id>/tables/<slug:table_id>", reports.report_table, name="report_table"),
    path("reports/<id:report_id>/pairs/<id:number>", reports.report_pair, name="report_pair"),
    path("reports/<id:report_id>/<file_name:name>", reports.report_file, name="report_file"),
    path("judges/", judges.judge_list, name="judges"),
    path("judges/<id:judge_id>/", judges.judge_detail, name="judge"),
    path("rewards/learned/", learned.model_list, name="learned_rewards"),
    path("rewards/learned/<slug:model_id>/", learned.model_detail, name="learned_reward"),
    path("exports/", exports.export_list, name="exports"),
    path("exports/create", exports.export_create, name="export_create"),
    path("exports/<id:export_id>/", exports.export_detail, name="export"),
    path("exports/<id:export_id>/cancel", exports.export_cancel, name="export_cancel"),
    path("exports/<id:export_id>/again", exports.export_again, name="export_again"),
    path("exports/<id:export_id>/<file_name:name>", exports.export_file, name="export_file"),
    path("search", search.search, name="search"),
    _alias("search/", of="search", name="search_slashed"),
    path("search/counts", search.search_counts, name="search_counts"),
    *(
        path(f"search/{file}", search.search_export, {"name": file}, name=f"search_{file.partition('.')[0]}")
        for file in EXPORTS
    ),
    path("episodes/", search.episode_list, name="episodes"),
    path(f"{EPISODE}/", episode.episode_detail, name="episode"),
    path(f"{EPISODE}/peek", peek.episode_peek, name="episode_peek"),
    path(f"{EPISODE}/progress", episode.episode_progress, name="episode_progress"),
    path(f"{EPISODE}/prompt", episode.episode_prompt, name="episode_prompt"),
    path(f"{EPISODE}/actions/<id:number>", episode.page_action, name="page_action"),
    path(f"{EPISODE}/actions/<id:number>/dom", episode.page_action_dom, name="page_action_dom"),
    path(f"{EPISODE}/news", step.episode_news, name="episode_news"),
    path(f"{EPISODE}/scrubber", step.episode_scrubber, name="episode_scrubber"),
    path(f"{EPISODE}/answer", step.episode_answer, name="episode_answer"),
    path(f"{EPISODE}/gold", step.gold_switch, name="gold_switch"),
    path(f"{EPISODE}/index.json", media_views.episode_index, name="episode_index"),
    path(f"{EPISODE}/find.json", media_views.episode_find, name="episode_find"),
    path(f"{EPISODE}/recording/<slug:page>.json", media_views.page_recording, name="page_recording"),
    path(f"{EPISODE}/export.html", export.episode_as_html, name="episode_as_html"),
    path(f"{EPISODE}/export.json", export.episode_as_json, name="episode_as_json"),
    path(f"{EPISODE}/mark", bookmarks.step_mark, name="episode_mark"),
    path(f"{EPISODE}/steps/", step.step_go, name="step_go"),
    path(STEP, step.step_detail, name="step"),
    _alias(f"{STEP}/", of="step", name="step_slashed"),
    path(f"{STEP}/interventions", step.intervention_write, name="intervention_write"),
    path(f"{STEP}/takeover", takeover.step_takeover, name="step_takeover"),
    path(f"{STEP}/mark", bookmarks.step_mark, name="step_mark"),
    path(f"{STEP}/conversation", conversation.step_conversation, name="step_conversation"),
    path(f"{STEP}/conversation.json", conversation.step_messages, name="step_messages"),
    path(f"{STEP}/conversation/<id:number>", conversation.step_message, name="step_message"),
    path(f"{STEP}/changes", step.step_changes, name="step_changes"),
    path(f"{STEP}/replay", media_views.step_replay, name="step_replay"),
    path(f"{STEP}/dom", media_views.step_dom, name="step_dom"),
    path(f"{STEP}/fidelity", media_views.step_compared, name="step_compared"),
    path(f"{STEP}/fidelity/check", media_views.step_compare, name="step_compare"),
    *(
        path(f"{STEP}/{name}.txt", step.step_text, {"name": name}, name=f"step_text_{name}")
        for name in step.TEXTS
    ),
    *(
        path(f"{STEP}/picture.{kind}", media_views.step_picture, {"kind": kind}, name=f"step_picture_{kind}")
        for kind in media_views.FORMATS
    ),
    path("drawings/<slug:name>.<int:width>.webp", media_views.drawing, name="drawing"),
    path("blobs/<sha256:sha256>", media_views.blob_detail, name="blob"),
    path("blobs/<sha256:sha256>/thumbnail", media_views.blob_thumbnail, name="blob_thumbnail"),
    path("bookmarks/", bookmarks.bookmark_list, name="bookmarks"),
    path("compare", compare.compare_detail, name="compare"),
    _alias("compare/", of="compare", name="compare_slashed"),
    path("annotation/", queue.annotation, name="annotation"),
    path("annotation/new", annotation.annotation_new, name="annotation_new"),
    path("annotation/create", annotation.annotation_create, name="annotation_create"),
    path(f"{PROJECT}/", annotation.annotation_project, name="annotation_project"),
    path(f"{PROJECT}/people", annotation.annotation_people, name="annotation_people"),
    path(f"{PROJECT}/quotas", annotation.annotation_quotas, name="annotation_quotas"),
    path(f"{PROJECT}/golds", gold.annotation_golds, name="annotation_golds"),
    path(f"{PROJECT}/golds/add", gold.annotation_gold_add, name="annotation_gold_add"),
    path(f"{PROJECT}/golds/remove", gold.annotation_gold_remove, name="annotation_gold_remove"),
    path(f"{PROJECT}/queue", queue.annotation_queue, name="annotation_queue"),
    path(f"{PROJECT}/label", queue.annotation_label, name="annotation_label"),
    path(f"{PROJECT}/codebook", queue.annotation_codebook, name="annotation_codebook"),
    path(f"{PROJECT}/agreement", agreement.annotation_agreement, name="annotation_agreement"),
    path(f"{PROJECT}/agreement/units", agreement.annotation_cell, name="annotation_cell"),
    path(f"{PROJECT}/jobs", files.annotation_jobs, name="annotation_jobs"),
    path(f"{PROJECT}/jobs/<id:job_id>/file", files.annotation_job_file, name="annotation_job_file"),
    path(f"{PROJECT}/export", files.annotation_export, name="annotation_export"),
    path(f"{PROJECT}/import", files.annotation_import, name="annotation_import"),
    path(f"{PROJECT}/import/start", files.annotation_import_start, name="annotation_import_start"),
    path(f"{PROJECT}/agreement/repeats", agreement.annotation_repeats, name="annotation_repeats"),
    path(f"{PROJECT}/views", agreement.annotation_views, name="annotation_views"),
    path(f"{PROJECT}/views/units", agreement.annotation_shift, name="annotation_shift"),
    path(f"{PROJECT}/machines", machines.annotation_machines, name="annotation_machines"),
    path(f"{PROJECT}/machines/start", machines.annotation_machine_start, name="annotation_machine_start"),
    path(f"{PROJECT}/machines/units", machines.annotation_machine_units, name="annotation_machine_units"),
    path(f"{PROJECT}/machines.csv", machines.annotation_machines_file, name="annotation_machines_file"),
    path(f"{PROJECT}/rates", rates.annotation_rates, name="annotation_rates"),
    path(f"{PROJECT}/rates/units", rates.annotation_rate_units, name="annotation_rate_units"),
    path(f"{PROJECT}/rates.csv", rates.annotation_rates_file, name="annotation_rates_file"),
    path(f"{PROJECT}/adjudicator", adjudication.annotation_adjudicator, name="annotation_adjudicator"),
    path(f"{PROJECT}/disagreements", adjudication.annotation_disagreements, name="annotation_disagreements"),
    path(DISAGREEMENT, adjudication.annotation_disagreement, name="annotation_disagreement"),
    path(f"{DISAGREEMENT}/settle", adjudication.annotation_settle, name="annotation_settle"),
    path(f"{PROJECT}/units/<id:unit_id>/history", adjudication.annotation_history, name="annotation_history"),
    path("tasks/", tasks.task_list, name="tasks"),
    path("tasks/<id:task_id>/", tasks.task_detail, name="task"),
    path("tasks/<id:task_id>/peek", peek.task_peek, name="task_peek"),
    path("system/", system, name="system"),
    path("keys/", keys.key_list, name="keys"),
    path("keys/create", keys.key_create, name="key_create"),
    path("keys/<id:key_id>/", keys.key_detail, name="key"),
    path("keys/<id:key_id>/revoke", keys.key_revoke, name="key_revoke"),
    path("palette", palette, name="palette"),
    path("login/", LabLoginView.as_view(), name="login"),
    path("logout/", annotator_action(LogoutView.as_view()), name="logout"),
]
