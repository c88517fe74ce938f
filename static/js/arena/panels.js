/* What is not the task's own comes late: until then its place says so, and the page is not settled. */
"use strict";

(() => {
  const panels = document.querySelector("[data-slow]");
  window.gymSettled.hold();
  setTimeout(() => {
    panels.classList.add("is-here");
    window.gymSettled.release();
  }, Number(panels.dataset.slow));
})();
