/* Copies the address of what is shown. */
"use strict";

(() => {
  const button = document.querySelector("[data-copy]");
  if (!button) return;

  const NOTE_MS = 1500;

  /* Browsers hold the clipboard back from pages that came without TLS; the old way works there. */
  const copyBySelection = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  };

  button.addEventListener("click", async () => {
    const isDone = await copy(location.href);
    const detail = isDone ? "Link copied" : "The link could not be copied: take it from the address bar";
    document.dispatchEvent(new CustomEvent("replay:announce", { detail }));
    button.dataset.done = isDone ? "copied" : "failed";
    setTimeout(() => delete button.dataset.done, NOTE_MS);
    button.focus({ preventScroll: true });
  });
})();
