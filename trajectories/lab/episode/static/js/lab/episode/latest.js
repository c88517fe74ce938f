/* "Jump to latest" in a list of steps goes to the end of the list and stays there until the reader scrolls. */

import "../shared/live.js";

/** @param {HTMLAnchorElement} link */
const follow = (link) => {
  const NAMES = { follows: "Following the latest", rests: "Jump to latest" };
  const AWAY = new Set(["ArrowUp", "PageUp", "Home", "ArrowDown", "PageDown", "End"]);
  let follows = location.hash === "#latest" && new URLSearchParams(location.search).get("tail") === "1";

  const show = () => {
    link.textContent = follows ? NAMES.follows : NAMES.rests;
  };

  /* In an ended episode, the list has no text below its last step. */
  const end = () => document.getElementById("latest") ?? [...document.querySelectorAll(".step-row")].at(-1);
  const go = () => end()?.scrollIntoView({ block: "nearest" });

  const leave = () => {
    if (!follows) return;
    follows = false;
    show();
  };

  link.addEventListener("click", () => {
    follows = true;
    show();
    document.dispatchEvent(new Event("live:resume"));
    go();
  });
  addEventListener("wheel", leave, { passive: true });
  addEventListener("touchmove", leave, { passive: true });
  addEventListener("keydown", (event) => AWAY.has(event.key) && leave());
  document.addEventListener("live:swapped", ({ detail }) => {
    link.href = detail.liveLatest;
    link.hidden = detail.isOver;
    if (follows) go();
  });
  show();
};

/** @type {HTMLAnchorElement} */
const link = document.querySelector("[data-live-jump]");
if (link) follow(link);
