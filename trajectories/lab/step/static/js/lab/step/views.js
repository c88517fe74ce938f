/* The view in the picture's place: the page before the action, after it, both, or a replay of its DOM. The choice is
   kept from step to step; a replay is part of the address. */

import { fillPart } from "./fill.js";
import * as replay from "./viewer.js";

const DOM = "dom";
const names = () => location.hash.slice(1).split("+");
let chosen = names().includes(DOM) ? DOM : "before";

/** @type {() => HTMLButtonElement[]} */
const buttons = () => Array.from(replay.article().querySelectorAll("[data-view]"));

/** @type {(place: HTMLElement, view: string) => void} */
const drawPlace = (place, view) => {
  place.hidden = !place.dataset.ofView.split(" ").includes(view);
  if (place.hidden) return;
  void fillPart(place);
  for (const late of place.querySelectorAll("[data-picture]")) {
    const picture = document.createElement("img");
    picture.alt = late.dataset.alt;
    picture.src = late.dataset.picture;
    late.replaceWith(picture);
  }
};

const draw = () => {
  const all = buttons();
  if (all.length === 0) return;
  const open = all.find((one) => one.dataset.view === chosen && !one.disabled);
  const view = open ? chosen : "before";
  for (const one of all) one.setAttribute("aria-pressed", String(one.dataset.view === view));
  const card = all[0].closest("[data-views]");
  card.dataset.shows = view;
  for (const place of card.querySelectorAll("[data-of-view]")) drawPlace(place, view);
  document.dispatchEvent(new CustomEvent("replay:viewed", { detail: view }));
};

const updateAddress = () => {
  const others = names().filter((name) => name && name !== DOM);
  const hash = [...(chosen === DOM ? [DOM] : []), ...others].join("+");
  history.replaceState(history.state, "", `${location.pathname}${location.search}${hash && "#"}${hash}`);
};

/** @param {string} view */
const choose = (view) => {
  chosen = view;
  updateAddress();
  draw();
};

/* Pressing the current view's button again returns to the page before the action. */
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-view]");
  if (button) choose(button.dataset.view === chosen ? "before" : button.dataset.view);
});

addEventListener("hashchange", () => {
  const hasDom = names().includes(DOM);
  if (hasDom === (chosen === DOM)) return;
  chosen = hasDom ? DOM : "before";
  draw();
});
document.addEventListener("replay:swapped", draw);
draw();
