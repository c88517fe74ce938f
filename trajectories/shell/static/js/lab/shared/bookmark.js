/* Bookmarks and notes. Unfolding a note puts the cursor into it, Ctrl+Enter saves it, and Escape folds it.

   They are saved without leaving the page. A save belongs to the step whose form was sent, even if the reader has moved
      on, and typed text is kept in this tab until the server has it. */

import { hold, release } from "../../arena/settled.js";

/**
 * @typedef {object} Save
 * @property {string} address
 * @property {string} name
 * @property {URLSearchParams} body
 * @property {boolean} isNote
 * @property {string} [text]
 * @property {Promise<void>} [done]
 *
 * @typedef {{ isSaved?: boolean, fresh?: HTMLElement, error?: Error }} Answer
 */

const PLACE = "[data-bookmark]";
const EDIT = ".bookmark-edit";
const OUT = "You are logged out. Log in again in another tab, then save again.";
/** @type {Map<string, string>} */
const memory = new Map();
/** @type {Map<string, Promise<void>>} */
const busy = new Map(); /* The last save of each address while it is on its way. */
/** @type {Map<string, string>} */
const versions = new Map(); /* The versions of notes that completed saves have produced, for the saves that follow. */

/** @param {HTMLElement} place */
const addressOf = (place) => place.dataset.bookmark;
/** @type {(address: string) => HTMLElement | null} */
const placeOf = (address) => document.querySelector(`[data-bookmark="${CSS.escape(address)}"]`);
/** @type {(place: Element) => HTMLDetailsElement} */
const editOf = (place) => place.querySelector(EDIT);
/** @param {Element} place */
const noteOf = (place) => place.querySelector("textarea");

/* ---- drafts ---- */

/** @param {HTMLElement} place */
const nameOf = (place) => `palaestra:note:${place.dataset.reader}:${addressOf(place)}`;
/** @param {HTMLElement} place */
const draftOf = (place) => {
  try {
    return sessionStorage.getItem(nameOf(place)) ?? memory.get(nameOf(place));
  } catch {
    return memory.get(nameOf(place));
  }
};
/** @type {(place: HTMLElement, text: string) => void} */
const draftKeep = (place, text) => {
  memory.set(nameOf(place), text);
  try {
    sessionStorage.setItem(nameOf(place), text);
  } catch { /* Without storage, the draft only lives as long as this page. */ }
};
/** @param {string} name */
const draftDrop = (name) => {
  memory.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch { /* Without storage, the draft was never stored. */ }
};

/* Shows unsaved text again, and leaves the focus where it is. */
const restore = () => {
  for (const place of document.querySelectorAll(PLACE)) {
    const draft = draftOf(place);
    if (typeof draft !== "string" || busy.has(addressOf(place))) continue;
    if (draft.trim() === noteOf(place).defaultValue.trim()) {
      draftDrop(nameOf(place));
      continue;
    }
    noteOf(place).value = draft;
    editOf(place).open = true;
  }
};

/* ---- saving ---- */

const token = () => {
  /** @type {HTMLInputElement} */
  const field = document.querySelector("[name=csrfmiddlewaretoken]");
  return document.cookie.match(/(?:^|; )palaestra_csrf=([^;]+)/)?.[1] ?? field.value;
};

/* Shows the state of a save, with a link if the reader has moved on to another step. */
/** @type {(save: Save, text: string, tone: string) => void} */
const say = ({ address, name }, text, tone) => {
  const here = placeOf(address) ?? document.querySelector(PLACE);
  const line = here?.querySelector("[data-bookmark-status]");
  if (!line) return;
  line.dataset.tone = tone;
  line.textContent = text;
  if (addressOf(here) === address) return;
  const link = document.createElement("a");
  link.href = address.replace(/mark$/, "").replace(/(\/steps\/\d+)\/$/, "$1");
  link.textContent = `Open ${name}`;
  line.append(" ", link);
};

/** @type {(save: Save, text: string) => void} */
const failed = (save, text) => {
  say(save, `${save.isNote ? "The note on" : "The bookmark of"} ${save.name} was not saved. ${text}`, "warn");
  restore();
};

/* Replaces the bookmark's element. The reader may be writing in it again, or be elsewhere. */
/** @type {(address: string, fresh: HTMLElement) => void} */
const renew = (address, fresh) => {
  const place = placeOf(address);
  if (!place) return;
  /** @param {Element} one */
  const controls = (one) => Array.from(one.querySelectorAll("button, summary, textarea"));
  const focused = /** @type {HTMLTextAreaElement} */ (document.activeElement);
  const at = controls(place).indexOf(focused);
  const isWriting = editOf(place).open && focused === noteOf(place);
  place.replaceWith(fresh);
  restore();
  if (at < 0 || (focused.matches("textarea") && !isWriting)) return;
  if (isWriting) editOf(fresh).open = true;
  const next = /** @type {HTMLTextAreaElement} */ (controls(fresh)[at]);
  next?.focus({ preventScroll: true });
  if (isWriting) next.setSelectionRange(focused.selectionStart, focused.selectionEnd);
};

/** @type {(save: Save) => Promise<Answer>} */
const send = async ({ address, body }) => {
  if (versions.has(address)) body.set("version", versions.get(address));
  const headers = { Accept: "text/html", "X-CSRFToken": token() };
  /* The request continues when the reader leaves the page. */
  const response = await fetch(`${address}?fragment`, { method: "POST", body, headers, redirect: "manual", keepalive: true });
  if (response.type === "opaqueredirect" || response.status === 403) throw new Error(OUT);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector(PLACE);
  if (!fresh) throw new Error(`The server answered ${response.status}.`);
  return { isSaved: response.ok, fresh: document.adoptNode(fresh) };
};

/** @type {(save: Save, answer: Answer, isLast: boolean) => void} */
const show = (save, { isSaved, fresh }, isLast) => {
  if (isSaved && save.isNote && draftOf(fresh) === save.text) draftDrop(nameOf(fresh));
  /** @type {HTMLInputElement} */
  const version = fresh.querySelector("[name=version]");
  if (isSaved && !isLast) versions.set(save.address, version.value);
  if (!isLast) return;
  versions.delete(save.address);
  if (placeOf(save.address)) renew(save.address, fresh);
  else if (!isSaved) failed(save, fresh.querySelector("[data-bookmark-status]").textContent);
};

/** @param {Save} save */
const run = async (save) => {
  /** @type {Answer} */
  const answer = await send(save).catch((error) => ({ error }));
  const isLast = busy.get(save.address) === save.done;
  if (isLast) busy.delete(save.address);
  if (answer.error) {
    failed(save, answer.error instanceof TypeError ? "The server cannot be reached. Save it again." : answer.error.message);
    return;
  }
  show(save, answer, isLast);
  const detail = { address: save.address, isMarked: "isMarked" in answer.fresh.dataset };
  document.dispatchEvent(new CustomEvent("bookmark:saved", { detail }));
};

/* Saves of the same step are sent one after another. */
/** @type {(form: HTMLFormElement, submitter: HTMLElement) => void} */
const begin = (form, submitter) => {
  const place = form.closest(PLACE);
  const note = form.querySelector("textarea");
  /** @type {Save} */
  const save = {
    address: addressOf(place),
    name: place.dataset.place,
    body: new URLSearchParams(/** @type {any} */ (new FormData(form, submitter))),
    isNote: note !== null,
    text: note?.value,
  };
  if (note) draftKeep(place, note.value);
  hold();
  const before = busy.get(save.address) ?? Promise.resolve();
  save.done = before.then(() => run(save)).finally(release);
  busy.set(save.address, save.done);
  say(save, "Saving …", "");
};

/* A folded field would keep the focus until the next frame. */
/** @param {HTMLDetailsElement} edit */
const fold = (edit) => {
  if (edit.contains(document.activeElement)) /** @type {HTMLElement} */ (document.activeElement).blur();
  edit.open = false;
};

document.addEventListener("submit", (event) => {
  if (!event.target.closest?.(PLACE)) return;
  event.preventDefault();
  /** @type {HTMLDetailsElement | null} */
  const edit = event.target.closest(EDIT);
  begin(/** @type {HTMLFormElement} */ (event.target), event.submitter);
  if (edit) fold(edit);
});

/* ---- writing ---- */

/** @type {(name: string, react: (event: any, edit: HTMLDetailsElement) => void) => void} */
const listen = (name, react) =>
  document.addEventListener(name, (event) => {
    /** @type {HTMLDetailsElement | null} */
    const edit = event.target.closest?.(EDIT);
    if (edit) react(event, edit);
  });

/* The note is unfolded immediately instead of upon the browser's toggle event, because the next key is already text. */
listen("click", (event, edit) => {
  if (!event.target.closest("summary")) return;
  event.preventDefault();
  edit.open = !edit.open;
  if (!edit.open) return;
  const note = noteOf(edit);
  note.focus();
  note.setSelectionRange(note.value.length, note.value.length); /* New text is added at the end. */
});
listen("input", (event, edit) => draftKeep(edit.closest(PLACE), event.target.value));
listen("keydown", (event, edit) => {
  if (event.key === "Escape") fold(edit);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) edit.querySelector("form").requestSubmit(edit.querySelector("button"));
});

document.addEventListener("replay:swapped", restore);
restore();
