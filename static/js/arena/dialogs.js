/* Shows later pop-ups, which stay away once closed, and handles Escape and the focus for them and for the form's dialog.
   None of them blocks the rest of the page, and all of them can be closed without this script. */

const KEY = `closed ${location.pathname.replace(/[^/]*$/, "")}`;
/** @type {HTMLDialogElement[]} */
const popUps = Array.from(document.querySelectorAll("[data-pop-up]"));
/** @type {HTMLDialogElement} */
const answering = document.querySelector("#answering");
const opener = document.querySelector("[popovertarget=answering]:not([popovertargetaction])");
const closed = new Set(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
/** @type {WeakMap<Element, HTMLElement>} */
const came = new WeakMap();

/** @param {HTMLDialogElement} popUp */
const open = (popUp) => {
  /* If opened by its method, it would take the focus away from a field being typed into. */
  popUp.open = true;
};
/** @param {HTMLDialogElement} popUp */
const close = (popUp) => {
  const hadFocus = popUp.contains(document.activeElement);
  popUp.close();
  closed.add(popUp.dataset.popUp);
  sessionStorage.setItem(KEY, JSON.stringify([...closed]));
  if (hadFocus) came.get(popUp)?.focus();
};
const leave = () => {
  if (answering.open) answering.close();
  else answering.hidePopover();
  opener.focus();
};

for (const popUp of popUps) {
  if (closed.has(popUp.dataset.popUp)) popUp.open = false;
  popUp.addEventListener("focusin", ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !popUp.contains(relatedTarget)) came.set(popUp, relatedTarget);
  });
}

/* A form that only closes a dialog loads no page, so nothing must wait for one. */
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method !== "dialog") return;
  event.preventDefault();
  const dialog = form.closest("dialog");
  if (dialog === answering) leave();
  else close(dialog);
});

answering?.addEventListener("toggle", (/** @type {ToggleEvent} */ event) => {
  if (event.newState === "closed" && document.activeElement === document.body) opener.focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  const popUp = popUps.find((one) => one.open);
  if (popUp) close(popUp);
  else if (answering?.matches("[open], :popover-open")) leave();
});

/* An interaction brings up the next pop-up, unless one is open or was itself the target. */
/** @param {Event} event */
const next = (event) => {
  if (event.target instanceof Element && event.target.closest("[data-pop-up]")) return;
  if (popUps.some((one) => one.open)) return;
  const popUp = popUps.find((one) => !closed.has(one.dataset.popUp));
  if (popUp) open(popUp);
};
for (const kind of ["click", "input", "scroll"]) document.addEventListener(kind, next, { passive: true });
