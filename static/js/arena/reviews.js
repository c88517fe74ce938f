/* Shows more of a review, its reply or its original, or votes for it, without leaving the page. Every link and form
   also works without this script. */

import { fetched, sent } from "./pages.js";
import { take } from "./pop_ups.js";

/** @type {(page: Document | null, id: string, focused?: string) => boolean} */
const swap = (page, id, focused) => {
  const fresh = page?.getElementById(id);
  const old = document.getElementById(id);
  if (!fresh || !old) return false;
  old.replaceWith(fresh);
  const next = focused ? fresh.querySelector(focused) : null;
  (next ?? fresh).tabIndex = next ? 0 : -1;
  (next ?? fresh).focus({ preventScroll: true });
  take(page);
  return true;
};

document.addEventListener("click", async (event) => {
  /** @type {HTMLAnchorElement | null} */
  const link = event.target instanceof Element ? event.target.closest("a[data-swap]") : null;
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!swap(await fetched(link.href), link.hash.slice(1))) location.assign(link.href);
});

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form[data-swap-form]")) return;
  event.preventDefault();
  const page = await sent(form, event.submitter);
  if (!swap(page, form.dataset.swapForm, "form button")) location.reload();
});
