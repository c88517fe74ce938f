/* Parts that do not belong to the task appear late; until then their places say so, and the page is not settled. */
"use strict";

(() => {
  const panels = document.querySelector("[data-slow]");
  window.gymSettled.hold();
  setTimeout(() => {
    panels.classList.add("is-here");
    window.gymSettled.release();
  }, Number(panels.dataset.slow));
})();
