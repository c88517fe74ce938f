"""Every address of the lab's pages by its name, for tests that hold for all of them."""

from __future__ import annotations

from trajectories.models import Episode

OPEN_TO_ALL = {"login", "logout"}
# These addresses are only posted to.
DEEDS = {
    "step_compare",
    "report_compute",
    "gold_switch",
    "annotation_create",
    "annotation_people",
    "annotation_label",
    "annotation_export",
    "annotation_import_start",
}
REDIRECTS = ("step_go", "step_slashed", "runs_named", "episodes", "search_slashed", "compare_slashed")
# Without bytes, recordings or results.
WITHOUT_BYTES = (
    "blob",
    "blob_thumbnail",
    "step_picture_png",
    "step_picture_webp",
    "page_recording",
    "step_dom",
    "drawing",
    "report_table",
    "report_pair",
    "run_pair",
    # Without a project.
    "annotation_project",
    "annotation_queue",
    "annotation_codebook",
    "annotation_agreement",
    "annotation_cell",
    "annotation_import",
    "annotation_job_file",
    "annotation_jobs",
    "annotation_views",
    "annotation_shift",
)


def pages(episode: Episode) -> dict[str, str]:
    report = episode.run.report_id
    return {
        "runs": "/",
        "runs_named": "/runs/",
        "run": f"/runs/{episode.run_id}/",
        "run_live": f"/runs/{episode.run_id}/live",
        "run_pair": f"/runs/{episode.run_id}/pair",
        "episodes": "/episodes/",
        "search": "/search?q=thought",
        "runs_compare": f"/runs/compare?runs={episode.run_id}",
        "search_slashed": "/search/?q=thought",
        "search_counts": "/search/counts?q=thought",
        "search_trajectories": "/search/trajectories.ndjson",
        "search_facts": "/search/facts.csv",
        "search_ids": "/search/ids.txt",
        "episode": f"/episodes/{episode.pk}/",
        "episode_peek": f"/episodes/{episode.pk}/peek",
        "run_peek": f"/runs/{episode.run_id}/peek",
        "task_peek": f"/tasks/{episode.task_id}/peek",
        "episode_progress": f"/episodes/{episode.pk}/progress",
        "step": f"/episodes/{episode.pk}/steps/1",
        "step_slashed": f"/episodes/{episode.pk}/steps/1/",
        **{f"step_picture_{k}": f"/episodes/{episode.pk}/steps/1/picture.{k}" for k in ("png", "webp")},
        "page_recording": f"/episodes/{episode.pk}/recording/0123456789abcdef.json",
        "step_compared": f"/episodes/{episode.pk}/steps/1/fidelity",
        "step_replay": f"/episodes/{episode.pk}/steps/1/replay",
        "step_go": f"/episodes/{episode.pk}/steps/",
        "step_changes": f"/episodes/{episode.pk}/steps/2/changes",
        "step_conversation": f"/episodes/{episode.pk}/steps/2/conversation",
        "step_messages": f"/episodes/{episode.pk}/steps/2/conversation.json",
        "step_message": f"/episodes/{episode.pk}/steps/2/conversation/1",
        **{
            f"step_text_{name}": f"/episodes/{episode.pk}/steps/1/{name}.txt"
            for name in ("thought", "raw", "observation")
        },
        "step_dom": f"/episodes/{episode.pk}/steps/1/dom",
        "drawing": "/drawings/none.640.webp",
        "episode_answer": f"/episodes/{episode.pk}/answer",
        "episode_scrubber": f"/episodes/{episode.pk}/scrubber",
        "episode_news": f"/episodes/{episode.pk}/news",
        "episode_prompt": f"/episodes/{episode.pk}/prompt",
        "episode_index": f"/episodes/{episode.pk}/index.json",
        "episode_find": f"/episodes/{episode.pk}/find.json?find=a",
        "reports": "/reports/",
        "report": f"/reports/{report}/",
        "report_items": f"/reports/{report}/items?benchmark=gsm8k&a=text_zero_shot&b=gym",
        "report_file": f"/reports/{report}/rows.csv",
        "report_table": f"/reports/{report}/tables/gaps",
        "report_pair": f"/reports/{report}/pairs/1?benchmark=gsm8k&a=text_zero_shot&b=gym",
        "training": f"/runs/{episode.run_id}/training",
        "training_file": f"/runs/{episode.run_id}/training/versions.csv",
        "transfer": "/transfer/",
        "transfer_file": f"/transfer/transfer.csv?before={report}&after={report}",
        "annotation": "/annotation/",
        "annotation_new": "/annotation/new",
        "annotation_project": "/annotation/1/",
        "annotation_queue": "/annotation/1/queue",
        "annotation_codebook": "/annotation/1/codebook",
        "annotation_agreement": "/annotation/1/agreement",
        "annotation_cell": "/annotation/1/agreement/units?field=type&one=reasoning&other=mixed",
        "annotation_jobs": "/annotation/1/jobs?fragment",
        "annotation_import": "/annotation/1/import",
        "annotation_job_file": "/annotation/1/jobs/1/file",
        "annotation_views": "/annotation/1/views",
        "annotation_shift": "/annotation/1/views/units?view=thought&field=type&one=reasoning&other=mixed",
        "tasks": "/tasks/",
        "task": f"/tasks/{episode.task_id}/",
        "blob": f"/blobs/{'0' * 64}",
        "blob_thumbnail": f"/blobs/{'0' * 64}/thumbnail",
        "system": "/system/",
        "palette": "/palette?q=a",
        "compare_slashed": "/compare/",
        "compare": f"/compare?episodes={episode.pk}",
        **{f"episode_as_{kind}": f"/episodes/{episode.pk}/export.{kind}" for kind in ("html", "json")},
    }
