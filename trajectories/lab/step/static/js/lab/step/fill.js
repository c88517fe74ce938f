/* Fetches a part of a step from its data-href when the part is opened. Other scripts listen to "replay:filled". */

import { hold, release } from "../../arena/settled.js";

/** @param {HTMLElement} part */
export const fillPart = async (part) => {
  const path = part.dataset.href;
  if (!path || part.dataset.filled) return;
  part.dataset.filled = "yes";
  hold();
  try {
    const response = await fetch(`${path}${path.includes("?") ? "&" : "?"}fragment`);
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    part.replaceChildren(...page.body.childNodes);
    window.htmx?.process(part);
    document.dispatchEvent(new CustomEvent("replay:filled", { detail: { panel: part } }));
  } catch {
    delete part.dataset.filled;
    const again = document.createElement("a");
    again.href = path;
    again.textContent = "This part could not be fetched. Open it as a page.";
    part.replaceChildren(again);
  } finally {
    release();
  }
};

/* Folded texts are fetched when they are unfolded. */
document.addEventListener(
  "toggle",
  (event) => {
    const target = /** @type {HTMLDetailsElement} */ (event.target);
    const late = target.open && target.querySelector?.(":scope > [data-late]");
    if (late) void fillPart(late);
  },
  true,
);
