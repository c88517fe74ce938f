/* Copies the current address, or the text of the element that a button's data-copy selects. */

const NOTE_MS = 1500;

/* Browsers do not give the clipboard to pages that were loaded without TLS; there, the old way of copying works. */
/** @param {string} text */
const copyBySelection = (text) => {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
};

/** @param {string} text */
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
};

const NOTES = {
  link: ["Link copied", "The link could not be copied. Copy it from the address bar."],
  text: ["Copied", "The text could not be copied. Select and copy it by hand."],
};

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (!button) return;
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
  const isDone = await copy(source ? source.textContent : location.href);
  const detail = NOTES[source ? "text" : "link"][isDone ? 0 : 1];
  document.dispatchEvent(new CustomEvent("replay:announce", { detail }));
  button.dataset.done = isDone ? "copied" : "failed";
  setTimeout(() => delete button.dataset.done, NOTE_MS);
  button.focus({ preventScroll: true });
});
