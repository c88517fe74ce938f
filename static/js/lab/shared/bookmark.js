/* The note of a bookmark: unfolding it begins to write, Ctrl+Enter saves it, Escape folds it. */
"use strict";

(() => {
  const EDIT = ".bookmark-edit";
  const listen = (name, run) =>
    document.addEventListener(
      name,
      (event) => {
        const edit = event.target.closest?.(EDIT);
        if (edit) run(event, edit);
      },
      true, /* Toggling does not bubble. */
    );

  listen("toggle", (_event, edit) => {
    if (edit.open) edit.querySelector("textarea").focus();
  });
  listen("keydown", (event, edit) => {
    if (event.key === "Escape") edit.open = false;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) edit.querySelector("form").requestSubmit(edit.querySelector("button"));
  });
})();
