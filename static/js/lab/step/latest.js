/* The step viewer of an episode under way: its last step moves on, what is said of a step so far becomes what is
   kept of it, and a screenshot that comes after its step is shown. "Jump to latest" shows the last step, and each new
   one as it comes, until the reader goes elsewhere. */
"use strict";

(() => {
  const replay = window.replay;
  const link = document.querySelector("[data-live-jump]");
  if (!replay || !link) return;

  /* Nobody tells of an upload: a step that lacks its screenshot is looked at again, for a minute at most. */
  const LOOK_MS = 3000;
  const LOOKS_MOST = 20;
  const NAMES = { follows: "Following the latest", rests: "Jump to latest" };
  const { viewer } = replay;
  const last = () => Number(viewer.dataset.last);
  let follows = false;
  let goal = 0;
  let looks = 0;
  let { liveMeasured: measured, liveState: state } = document.querySelector("[data-live-measured]").dataset;

  const show = () => {
    link.textContent = follows ? NAMES.follows : NAMES.rests;
  };

  const go = () => {
    goal = last();
    if (goal !== replay.current()) void replay.show(goal);
  };

  /* A DOM replay is held against its screenshot once the episode has ended: a badge told before says so no longer. */
  const askFidelity = () => {
    const badge = document.getElementById("fidelity");
    if (!badge) return;
    const path = `${replay.address(replay.current(), "")}/fidelity`;
    void window.htmx.ajax("GET", path, { target: badge, swap: "outerHTML" });
  };

  const isHeld = () => Boolean(link.closest("[data-live-held]"));
  const isResting = () => document.hidden || isHeld();
  const looking = setInterval(() => {
    if (isResting() || looks >= LOOKS_MOST || !replay.isAwaited()) return;
    looks += 1;
    void replay.lookForPicture();
  }, LOOK_MS);

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    follows = isHeld() || !follows;
    show();
    if (!follows) return;
    document.dispatchEvent(new Event("live:go-on"));
    go();
  });

  document.addEventListener("replay:shown", ({ detail }) => {
    looks = 0;
    if (detail.step < goal && follows) {
      follows = false;
      show();
    }
  });

  document.addEventListener("live:swapped", ({ detail }) => {
    link.hidden = detail.isOver;
    if (detail.isOver) clearInterval(looking);
    if (!detail.isNew) return;
    link.href = detail.liveLatest;
    viewer.dataset.last = detail.liveLast;
    for (const one of viewer.querySelectorAll('[data-step-link="last"]')) one.href = replay.address(last());
    viewer.querySelector("[data-step-last]").textContent = detail.liveLast;
    for (const field of viewer.querySelectorAll("[data-scrub], [data-go] [name=index]")) field.max = detail.liveLast;
    const isMeasured = detail.liveMeasured !== measured;
    measured = detail.liveMeasured;
    const isJudged = detail.liveState !== state;
    state = detail.liveState;
    if (isMeasured || isJudged || (!replay.article().dataset.after && replay.current() < last())) void replay.renew();
    if (isMeasured) askFidelity();
    if (follows) go();
  });
})();
