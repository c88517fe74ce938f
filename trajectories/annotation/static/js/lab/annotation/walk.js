/* Going through the steps of a trajectory by keyboard. If a question asks for a step, the open step is the answer. */

/** @type {(place: ParentNode) => HTMLDetailsElement | null} */
const openOf = (place) => place.querySelector("[data-walk] details[open]");

/** @type {(place: HTMLElement, by: number) => void} */
const move = (place, by) => {
  /** @type {HTMLDetailsElement[]} */
  const all = Array.from(place.querySelectorAll("[data-walk] details"));
  const next = all[all.indexOf(openOf(place)) + by];
  if (!next) {
    place.querySelector(by > 0 ? "[data-walk-after]" : "[data-walk-before]")?.click();
    return;
  }
  next.open = true;
  next.scrollIntoView({ block: "nearest" });
};

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-walk-by]");
  if (button) move(button.closest("[data-walk-of]"), Number(button.dataset.walkBy));
});

/* This happens before the form remembers the choice. If the answer was already chosen, only the number changes. */
document.addEventListener("click", (event) => {
  const open = event.target.matches?.("[data-is-step]") && openOf(document);
  if (!open) return;
  /** @type {HTMLInputElement} */
  const number = event.target.closest(".unit-choice").querySelector("[type=number]");
  if (number.value === open.dataset.step) return;
  number.value = open.dataset.step;
  const isRemembered = new AbortController();
  event.target.addEventListener("change", () => isRemembered.abort(), { once: true, signal: isRemembered.signal });
  setTimeout(() => {
    if (isRemembered.signal.aborted) return;
    isRemembered.abort();
    number.dispatchEvent(new Event("change", { bubbles: true }));
  });
}, true);
