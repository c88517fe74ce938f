/* Shows or hides the marks on the screenshot; the choice is kept from step to step. */

import { viewer } from "./viewer.js";

const button = document.querySelector("[data-overlay]");
button?.addEventListener("click", () => {
  const isShown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(isShown));
  viewer.classList.toggle("hides-marks", !isShown);
  const detail = isShown ? "Marks are shown" : "Marks are hidden";
  document.dispatchEvent(new CustomEvent("replay:announce", { detail }));
});
