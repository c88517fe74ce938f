/* Shows parts late: a placeholder replaces <aside data-slow="300"> for that many milliseconds, and until then the page
   is not settled. Without scripts, the part is there from the start. */

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
