/* Plays an episode. Each step is shown for as long as it took, but at least long enough to be read, divided by the
   speed. A slider scrubs, and a field goes to a step by number. */

import { placesOf } from "../shared/places.js";
import * as replay from "./viewer.js";

const UNKNOWN_MS = 1000;
const IDLE_MS = 2000;
const READABLE_MS = 1500;
const SCRUB_MS = 60;
const TYPED_MS = 80;
const { viewer } = replay;
/** @type {(name: string) => any} */
const part = (name) => viewer.querySelector(`[data-${name}]`);
/** @type {HTMLButtonElement} */
const play = part("play");
/** @type {HTMLSelectElement} */
const speed = part("speed");
/** @type {HTMLInputElement} */
const idle = part("skip-idle");
/** @type {HTMLInputElement} */
const scrub = part("scrub");
/** @type {HTMLFormElement} */
const go = part("go");
let timer = 0;

const isPlaying = () => play.getAttribute("aria-pressed") === "true";

/** @param {boolean} isOn */
const showState = (isOn) => {
  play.setAttribute("aria-pressed", String(isOn));
  play.querySelector("[data-play-sign]").textContent = isOn ? "❚❚" : "▶";
  play.querySelector("[data-play-word]").textContent = isOn ? "Pause" : "Play";
};

const pause = () => {
  clearTimeout(timer);
  showState(false);
};

/** @param {HTMLElement} article */
const waitOf = (article) => {
  const took = article.dataset.ms === "" ? UNKNOWN_MS : Number(article.dataset.ms);
  return Math.max(READABLE_MS, idle.checked ? Math.min(took, IDLE_MS) : took) / Number(speed.value);
};

const next = () => {
  clearTimeout(timer);
  if (!isPlaying()) return;
  const { after } = replay.article().dataset;
  if (after) timer = setTimeout(() => replay.show(Number(after)), waitOf(replay.article()));
  else pause();
};

const start = async () => {
  showState(true);
  /* At the end, playing starts over. */
  if (replay.article().dataset.after) next();
  else await replay.show(Number(viewer.dataset.start));
};

play.addEventListener("click", () => (isPlaying() ? pause() : void start()));
speed.addEventListener("change", next);
idle.addEventListener("change", next);
document.addEventListener("visibilitychange", () => document.hidden && pause());
document.addEventListener("focusin", ({ target }) => target.matches?.("textarea") && pause());
document.addEventListener("replay:shown", (event) => {
  const { step } = event.detail;
  if (!isScrubbing) scrub.value = String(step);
  if (document.activeElement !== go.elements.index) go.elements.index.value = String(step);
  next();
});

let isScrubbing = false;
let scrubbed = 0;
/* Returns the step at the slider, or within a range of unrecorded numbers the next step in the slider's direction. */
const scrubGoal = () => {
  const index = Number(scrub.value);
  const { missing } = part("timeline").dataset;
  const range = placesOf(missing, Number(viewer.dataset.last)).rangeOf(index);
  if (!range) return index;
  return index < replay.current() ? range.first - 1 : range.last + 1;
};
scrub.addEventListener("input", () => {
  isScrubbing = true;
  clearTimeout(scrubbed);
  const goal = scrubGoal();
  viewer.querySelector("[data-step-number]").textContent = String(goal);
  scrubbed = setTimeout(() => replay.show(goal, { near: true }), SCRUB_MS);
});
scrub.addEventListener("change", () => {
  isScrubbing = false;
});

const typedIndex = () => {
  const index = Number(go.elements.index.value);
  return Number.isInteger(index) && index >= 1 ? index : 0;
};
let typed = 0;
go.addEventListener("input", () => {
  clearTimeout(typed);
  const index = typedIndex();
  if (index && index !== replay.current()) typed = setTimeout(() => replay.prefetchNearest(index), TYPED_MS);
});
go.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  clearTimeout(typed);
  go.elements.index.value = String(replay.current());
  go.elements.index.blur();
});
go.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typed);
  const index = typedIndex();
  if (!index) return;
  go.elements.index.blur();
  void replay.show(index, { near: true, isTyped: true });
});

document.addEventListener("replay:faster", (event) => {
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + event.detail, 0), speed.options.length - 1);
  document.dispatchEvent(new CustomEvent("replay:announce", { detail: `Speed ${speed.value}` }));
  next();
});
