/* What comes late: <aside data-slow="300"> gives way to a placeholder for so many milliseconds, and the page is not
   settled before. Without scripts it is simply there. */

import { hold, release } from "./settled.js";

for (const part of document.querySelectorAll("[data-slow]")) {
  const place = document.createElement("div");
  place.className = "slow-place";
  place.setAttribute("aria-hidden", "true");
  part.replaceWith(place);
  hold();
  setTimeout(() => {
    place.replaceWith(part);
    release();
  }, Number(part.dataset.slow));
}
