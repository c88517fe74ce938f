/* What comes late: <aside data-slow="300"> gives way to a placeholder for so many milliseconds, and the page is not
   settled before. Without scripts it is simply there. */
"use strict";

(() => {
  const parts = Array.from(document.querySelectorAll("[data-slow]"), (part) => {
    const place = document.createElement("div");
    place.className = "slow-place";
    place.setAttribute("aria-hidden", "true");
    part.replaceWith(place);
    return { part, place };
  });

  /* By then the script that says when a page is settled has run as well. */
  document.addEventListener("DOMContentLoaded", () => {
    for (const { part, place } of parts) {
      window.gymSettled.hold();
      setTimeout(() => {
        place.replaceWith(part);
        window.gymSettled.release();
      }, Number(part.dataset.slow));
    }
  });
})();
