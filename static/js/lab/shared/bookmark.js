/* Bookmarks and notes: unfolding a note begins to write, Ctrl+Enter saves it, Escape folds it.

   They are saved without leaving the page. A save belongs to the step whose form was sent, even if the reader has moved
   on, and what is typed is kept in this tab until the server has it. */

import { hold, release } from "../../arena/settled.js";

const PLACE = "[data-bookmark]";
const EDIT = ".bookmark-edit";
const OUT = "You are logged out: log in again in another tab, then save again.";
const memory = new Map();
const busy = new Map(); /* The last save of each address, while it is on its way. */
const versions = new Map(); /* Of the notes that saves on their way have left. */

const addressOf = (place) => place.dataset.bookmark;
const placeOf = (address) => document.querySelector(`[data-bookmark="${CSS.escape(address)}"]`);
const noteOf = (place) => place.querySelector("textarea");

/* ---- what is typed ---- */

const nameOf = (place) => `palaestra:note:${place.dataset.reader}:${addressOf(place)}`;
const draftOf = (place) => {
  try {
    return sessionStorage.getItem(nameOf(place)) ?? memory.get(nameOf(place));
  } catch {
    return memory.get(nameOf(place));
  }
};
const draftKeep = (place, text) => {
  memory.set(nameOf(place), text);
  try {
    sessionStorage.setItem(nameOf(place), text);
  } catch { /* Then it lives as long as this page. */ }
};
const draftDrop = (name) => {
  memory.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch { /* It was never there. */ }
};

/* What was typed and not saved yet is shown again, and the keyboard is left where it is. */
const restore = () => {
  for (const place of document.querySelectorAll(PLACE)) {
    const draft = draftOf(place);
    if (typeof draft !== "string" || busy.has(addressOf(place))) continue;
    if (draft.trim() === noteOf(place).defaultValue.trim()) {
      draftDrop(nameOf(place));
      continue;
    }
    noteOf(place).value = draft;
    place.querySelector(EDIT).open = true;
  }
};

/* ---- saving ---- */

const token = () => document.cookie.match(/(?:^|; )palaestra_csrf=([^;]+)/)?.[1] ?? document.querySelector("[name=csrfmiddlewaretoken]").value;

/* With a link if the reader has moved on. */
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

const failed = (save, text) => {
  say(save, `${save.isNote ? "The note on" : "The bookmark of"} ${save.name} was not saved. ${text}`, "warn");
  restore();
};

/* The reader may be writing in it again, or be elsewhere. */
const renew = (address, fresh) => {
  const place = placeOf(address);
  if (!place) return;
  const controls = (one) => Array.from(one.querySelectorAll("button, summary, textarea"));
  const focused = document.activeElement;
  const at = controls(place).indexOf(focused);
  const isWriting = place.querySelector(EDIT).open && focused === noteOf(place);
  place.replaceWith(fresh);
  restore();
  if (at < 0 || (focused.matches("textarea") && !isWriting)) return;
  if (isWriting) fresh.querySelector(EDIT).open = true;
  const next = controls(fresh)[at];
  next?.focus({ preventScroll: true });
  if (isWriting) next.setSelectionRange(focused.selectionStart, focused.selectionEnd);
};

const send = async ({ address, body }) => {
  if (versions.has(address)) body.set("version", versions.get(address));
  const headers = { Accept: "text/html", "X-CSRFToken": token() };
  /* It goes on when the reader leaves the page. */
  const response = await fetch(`${address}?fragment`, { method: "POST", body, headers, redirect: "manual", keepalive: true });
  if (response.type === "opaqueredirect" || response.status === 403) throw new Error(OUT);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector(PLACE);
  if (!fresh) throw new Error(`The server answered ${response.status}.`);
  return { isSaved: response.ok, fresh: document.adoptNode(fresh) };
};

const show = (save, { isSaved, fresh }, isLast) => {
  if (isSaved && save.isNote && draftOf(fresh) === save.text) draftDrop(nameOf(fresh));
  if (isSaved && !isLast) versions.set(save.address, fresh.querySelector("[name=version]").value);
  if (!isLast) return;
  versions.delete(save.address);
  if (placeOf(save.address)) renew(save.address, fresh);
  else if (!isSaved) failed(save, fresh.querySelector("[data-bookmark-status]").textContent);
};

const run = async (save) => {
  const answer = await send(save).catch((error) => ({ error }));
  const isLast = busy.get(save.address) === save.done;
  if (isLast) busy.delete(save.address);
  if (answer.error) {
    failed(save, answer.error instanceof TypeError ? "The server cannot be reached: save it again." : answer.error.message);
    return;
  }
  show(save, answer, isLast);
  const detail = { address: save.address, isMarked: "isMarked" in answer.fresh.dataset };
  document.dispatchEvent(new CustomEvent("bookmark:saved", { detail }));
};

/* Saves of one place follow each other. */
const begin = (form, submitter) => {
  const place = form.closest(PLACE);
  const note = form.querySelector("textarea");
  const save = {
    address: addressOf(place),
    name: place.dataset.place,
    body: new URLSearchParams(new FormData(form, submitter)),
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

/* A folded field keeps the keyboard until the next frame. */
const fold = (edit) => {
  if (edit.contains(document.activeElement)) document.activeElement.blur();
  edit.open = false;
};

document.addEventListener("submit", (event) => {
  if (!event.target.closest?.(PLACE)) return;
  event.preventDefault();
  const edit = event.target.closest(EDIT);
  begin(event.target, event.submitter);
  if (edit) fold(edit);
});

/* ---- writing ---- */

const listen = (name, react) =>
  document.addEventListener(name, (event) => {
    const edit = event.target.closest?.(EDIT);
    if (edit) react(event, edit);
  });

/* At once, and not when the browser says that it has unfolded: the next key is already text. */
listen("click", (event, edit) => {
  if (!event.target.closest("summary")) return;
  event.preventDefault();
  edit.open = !edit.open;
  if (!edit.open) return;
  const note = noteOf(edit);
  note.focus();
  note.setSelectionRange(note.value.length, note.value.length); /* What is added comes behind what is there. */
});
listen("input", (event, edit) => draftKeep(edit.closest(PLACE), event.target.value));
listen("keydown", (event, edit) => {
  if (event.key === "Escape") fold(edit);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) edit.querySelector("form").requestSubmit(edit.querySelector("button"));
});

document.addEventListener("replay:swapped", restore);
restore();
