/* A unit's form: the chosen answers, the missing ones, and undoing of choices. */

import * as input from "./input.js";

/** @typedef {[string, string][]} Fields Names and values, as a form sends them. */

const OURS = new Set(["csrfmiddlewaretoken", "ticket", "key", "version", "active_ms"]);
/** @type {WeakMap<HTMLFormElement, { now: Fields, before: Fields[] }>} */
const states = new WeakMap();

/** @type {(form: HTMLFormElement) => Fields} */
export const fieldsOf = (form) => /** @type {Fields} */ (Array.from(new FormData(form))).filter(([name]) => !OURS.has(name));

/** @type {(form: HTMLFormElement, fields: Fields) => void} */
export const fill = (form, fields) => input.fill(form, fields, OURS);

/** @param {HTMLFormElement} form */
export const begin = (form) => {
  if (!states.has(form)) states.set(form, { now: fieldsOf(form), before: [] });
  return states.get(form);
};

/** @param {HTMLFormElement} form */
export const remember = (form) => {
  const state = begin(form);
  state.before.push(state.now);
  state.now = fieldsOf(form);
};

/* Undoes the last choice; returns false if there is none. */
/** @param {HTMLFormElement} form */
export const takeBack = (form) => {
  const state = begin(form);
  if (!state.before.length) return false;
  state.now = state.before.pop();
  fill(form, state.now);
  return true;
};

/** @param {HTMLFormElement} form */
const missingOf = (form) => {
  const isEnded = form.querySelector("[data-ends]:checked") !== null;
  /** @param {HTMLElement} field */
  const isOpen = (field) =>
    !(isEnded && !field.querySelector("[data-ends]")) && !field.querySelector(".unit-choice label :checked");
  return Array.from(form.querySelectorAll("[data-required]")).filter(isOpen);
};

/* Returns the problem that prevents saving and the field that has it; null if there is no problem. */
/** @param {HTMLFormElement} form */
export const problemOf = (form) => {
  const missing = missingOf(form);
  for (const field of form.querySelectorAll("[data-field]")) field.classList.toggle("is-missing", missing.includes(field));
  if (missing.length) {
    const titles = missing.map((field) => field.querySelector("legend").firstChild.textContent.trim());
    return { text: `No answer yet: ${titles.join(", ")}.`, place: missing[0].querySelector("input") };
  }
  if (form.querySelector("[data-needs-note]:checked") && !form.elements.note.value.trim()) {
    return { text: "This answer needs a note that explains it.", place: form.elements.note };
  }
  /** @type {HTMLInputElement} */
  const number = form.querySelector("[data-is-step]:checked")?.closest(".unit-choice").querySelector("[type=number]");
  if (number && (!number.value || !number.validity.valid)) {
    return { text: `Which step? A number from 1 to ${number.max}.`, place: number };
  }
  /** @type {HTMLInputElement[]} */
  const linked = Array.from(form.querySelectorAll(".unit-choice:has(label :checked) [data-last]"));
  const wrong = linked.find((one) => one.value && !(one.validity.valid && Number(one.value) <= Number(one.dataset.last)));
  if (wrong) return { text: `There is no step ${wrong.value}: the steps are 1 to ${wrong.dataset.last}.`, place: wrong };
  if (form.querySelector("[data-marks]:checked") && !form.querySelector("[name=span]:checked")) {
    const place = form.querySelector("[name=span]");
    return { text: place ? "Mark the sentences that reason." : "This thought has no sentence that could be marked. Choose another answer.", place };
  }
  return null;
};

/** @param {HTMLFormElement} form */
export const wordsOf = (form) =>
  Array.from(form.querySelectorAll(".unit-choice label:has(:checked) [data-title]"), (one) => one.textContent).join(", ");
