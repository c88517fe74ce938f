/* Shows or hides the marks on the screenshot; the choice holds from step to step. A screenshot that does not come is
   said to be missing. */
"use strict";

(() => {
  const button = document.querySelector("[data-overlay]");
  const viewer = document.querySelector("[data-viewer]");
  if (!button || !viewer) return;

  const miss = (picture) => {
    const box = picture.closest?.(".shot");
    if (!box) return;
    const said = document.createElement("p");
    said.className = "muted shot-none";
    said.textContent = "Its file is missing from the store, or damaged.";
    box.replaceWith(said);
  };
  const missFailed = () => {
    for (const one of viewer.querySelectorAll(".shot img")) if (one.complete && !one.naturalWidth) miss(one);
  };
  document.addEventListener("error", ({ target }) => target.matches?.("img") && miss(target), true);
  document.addEventListener("replay:shown", missFailed);
  missFailed();

  button.addEventListener("click", () => {
    const isShown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isShown));
    viewer.classList.toggle("hides-marks", !isShown);
    const detail = isShown ? "Marks are shown" : "Marks are hidden";
    document.dispatchEvent(new CustomEvent("replay:say", { detail }));
  });
})();
