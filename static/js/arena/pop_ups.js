/* Closes a pop-up in place, also by Escape, and shows the pop-up of a page that was fetched later. Without this script,
   its form does the same by loading a page. Scripts that fetch a page pass it to take(page). */

import { sent } from "./pages.js";

const layer = () => document.querySelector("[data-pop-up]");
const behind = () => document.querySelectorAll("[data-behind-pop-up]");

const focused = () => {
  const dialog = layer()?.querySelector("[aria-modal=true]");
  dialog?.querySelector("button")?.focus();
};

/* Replaces the current pop-up by that of the page. If it is the same one, it stays as it is and keeps the focus. */
/** @param {Document} page */
export const take = (page) => {
  const fresh = page.querySelector("[data-pop-up]");
  const old = layer();
  if (fresh?.dataset.popUp === old?.dataset.popUp) return;
  old?.remove();
  const isModal = fresh !== null && fresh.querySelector("[aria-modal=true]") !== null;
  if (fresh) document.getElementById("main").append(fresh);
  for (const part of behind()) part.inert = isModal;
  focused();
};

/** @param {HTMLFormElement} form */
const closed = async (form) => {
  const page = await sent(form);
  if (!page) {
    location.reload();
    return;
  }
  const hadFocus = layer()?.contains(document.activeElement);
  take(page);
  if (hadFocus && document.activeElement === document.body) {
    const heading = document.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
};

document.addEventListener("submit", (event) => {
  if (!event.target.closest("[data-pop-up]")) return;
  event.preventDefault();
  void closed(/** @type {HTMLFormElement} */ (event.target));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog:modal")) return;
  layer()?.querySelector("form")?.requestSubmit();
});

focused();
