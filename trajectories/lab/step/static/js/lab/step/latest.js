/* The step viewer of an open episode. New steps arrive, provisional measures become final, and a screenshot may arrive
   after its step. "Jump to latest" shows the last step, and each new one as it arrives, until the reader goes
   elsewhere or starts to write. */

import "../shared/live.js";
import * as replay from "./viewer.js";

/** @param {HTMLAnchorElement} link */
const follow = (link) => {

  /* Uploads are not reported, so a step without its screenshot is fetched again for up to a minute. */
  const RETRY_MS = 3000;
  const TRIES_MAX = 20;
  const NAMES = { follows: "Following the latest", rests: "Jump to latest" };
  const { viewer } = replay;
  const last = () => Number(viewer.dataset.last);
  let follows = false;
  let goal = 0;
  let tries = 0;
  let { liveMeasured: measured, liveState: state } = document.querySelector("[data-live-measured]").dataset;

  const show = () => {
    link.textContent = follows ? NAMES.follows : NAMES.rests;
  };

  const go = () => {
    goal = last();
    if (goal !== replay.current()) void replay.show(goal);
  };

  /* A DOM replay is compared with its screenshot after the episode's end, so an earlier badge is outdated. */
  const refreshFidelity = () => {
    const badge = document.getElementById("fidelity");
    if (!badge) return;
    const path = `${replay.address(replay.current(), "")}/fidelity`;
    void window.htmx.ajax("GET", path, { target: badge, swap: "outerHTML" });
  };

  const refreshAnswer = () => {
    const path = replay.address("", "").replace("/steps/", "/answer");
    void window.htmx.ajax("GET", path, { target: "#answer", swap: "outerHTML" });
  };

  const isPaused = () => Boolean(link.closest("[data-live-paused]"));
  const isResting = () => document.hidden || isPaused();
  const timer = setInterval(() => {
    if (isResting() || tries >= TRIES_MAX || !replay.isAwaited()) return;
    tries += 1;
    void replay.refreshPicture();
  }, RETRY_MS);

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    follows = isPaused() || !follows;
    show();
    if (!follows) return;
    document.dispatchEvent(new Event("live:resume"));
    go();
  });

  const unfollow = () => {
    if (!follows) return;
    follows = false;
    show();
  };

  document.addEventListener("focusin", ({ target }) => target.matches?.("textarea") && unfollow());
  document.addEventListener("replay:shown", ({ detail }) => {
    tries = 0;
    if (detail.step < goal) unfollow();
  });

  document.addEventListener("live:swapped", ({ detail }) => {
    link.hidden = detail.isOver;
    if (detail.isOver) clearInterval(timer);
    if (!detail.isNew) return;
    link.href = detail.liveLatest;
    viewer.dataset.last = detail.liveLast;
    for (const one of /** @type {NodeListOf<HTMLAnchorElement>} */ (viewer.querySelectorAll('[data-step-link="last"]'))) one.href = replay.address(last());
    viewer.querySelector("[data-step-last]").textContent = detail.liveLast;
    /** @type {NodeListOf<HTMLInputElement>} */
    const fields = viewer.querySelectorAll("[data-scrub], [data-go] [name=index]");
    for (const field of fields) field.max = detail.liveLast;
    const isMeasured = detail.liveMeasured !== measured;
    measured = detail.liveMeasured;
    const isJudged = detail.liveState !== state;
    state = detail.liveState;
    if (isMeasured || isJudged || (!replay.article().dataset.after && replay.current() < last())) void replay.refresh();
    if (isMeasured) refreshFidelity();
    if (isJudged) refreshAnswer();
    if (follows) go();
  });
};

/** @type {HTMLAnchorElement} */
const link = document.querySelector("[data-live-jump]");
if (link) follow(link);
