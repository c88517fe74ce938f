/* Settling disagreements by keyboard: a letter takes all answers of a column, and Enter saves. Without scripts, the
   letters are links that fill the form, and a button sends the form. */

import * as input from "./input.js";

/** @param {HTMLFormElement} form */
const settleWith = (form) => {
  let isSaving = false;
  const FIXED = new Set(["csrfmiddlewaretoken", "key", "version", "reason", "codebook_note", "about"]);

  form.addEventListener("click", (event) => {
    const link = event.target.closest("[data-take]");
    if (!link) return;
    event.preventDefault();
    input.fill(form, JSON.parse(link.dataset.fields), FIXED);
    for (const one of form.querySelectorAll("[data-take]")) one.classList.toggle("is-taken", one === link);
    link.blur();
  });

  /** @param {boolean} value */
  const savingSet = (value) => {
    isSaving = value;
    form.inert = value;
  };
  form.addEventListener("submit", (event) => {
    if (isSaving) event.preventDefault();
    savingSet(true);
  });
  addEventListener("pageshow", () => savingSet(false));
  window.navigation?.addEventListener("navigateerror", () => savingSet(false));

  /* Until the next unit is shown, keys do nothing, because following a link would interrupt the save. */
  /** @param {KeyboardEvent} event */
  const hold = (event) => {
    if (!isSaving || event.altKey || event.ctrlKey || event.metaKey || event.key === "Escape") return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", hold, true);

  addEventListener("keydown", (event) => {
    if (input.meaningOf(event) !== "save") return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-save]"));
  });
};

/** @type {HTMLFormElement} */
const form = document.querySelector("[data-settlement]");
if (form) settleWith(form);
