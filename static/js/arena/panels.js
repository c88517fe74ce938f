/* Parts that do not belong to the task appear late; until then their places say so, and the page is not settled. */

import { hold, release } from "./settled.js";

const panels = document.querySelector("[data-slow]");
hold();
setTimeout(() => {
  panels.classList.add("is-here");
  release();
}, Number(panels.dataset.slow));
