/* Shows the parts that do not belong to the task late. Until then their places stay empty and the page is not settled. */

import { hold, release } from "./settled.js";

const panels = document.querySelector("[data-slow]");
hold();
setTimeout(() => {
  panels.classList.add("is-here");
  release();
}, Number(panels.dataset.slow));
