/* Labels that the server refuses for good. Each shows the reason, and can be copied, sent again or discarded. */

import * as outbox from "./outbox.js";

const place = document.querySelector("[data-aside]");
/** @type {HTMLTemplateElement} */
const template = place.querySelector("template");
/** @type {Record<number, string>} */
const REASONS = {
  404: "This unit is no longer yours: you may have been removed from the project, or it was deleted. Ask its owner.",
  409: "The server has a different label for this unit.",
  413: "The label is too long. Copy the note, and save the unit with a shorter one.",
};
/** @param {import("./outbox.js").Entry} entry */
const reasonOf = ({ status, message }) =>
  message || REASONS[status] || (status >= 500 ? `The server failed (${status}) each time the label was sent.` : `The server answered ${status}.`);

/** @param {import("./outbox.js").Entry} entry */
const textOf = ({ words, fields }) => [words, ...fields.map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join("\n");

/** @param {import("./outbox.js").Entry} entry */
const itemOf = (entry) => {
  const item = /** @type {HTMLElement} */ (template.content.firstElementChild.cloneNode(true));
  item.dataset.key = entry.key;
  item.querySelector("[data-why]").textContent = reasonOf(entry);
  item.querySelector("textarea").value = textOf(entry);
  return item;
};

const draw = () => {
  const entries = outbox.aside();
  place.hidden = !entries.length;
  template.parentElement.replaceChildren(template, ...entries.map(itemOf));
};

/* If the page may not write to the clipboard, the text is selected instead. */
/** @param {HTMLElement} item */
const copy = async (item) => {
  const text = item.querySelector("textarea");
  text.select();
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.focus();
    return;
  }
  item.querySelector("[data-copied]").textContent = "Copied.";
};

place.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-do]");
  if (!button) return;
  const item = button.closest("[data-key]");
  if (button.dataset.do === "copy") await copy(item);
  else if (button.dataset.do === "again") await outbox.again(item.dataset.key);
  else outbox.discard(item.dataset.key);
  if (button.dataset.do !== "copy") draw();
});
document.addEventListener("annotation:aside", draw);
draw();
