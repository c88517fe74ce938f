/* Settling by keyboard: a letter takes all answers of a column, Enter saves. Without scripts the letters are links that
   fill the form, and the form is sent by its button. */
"use strict";

(() => {
  const form = document.querySelector("[data-settlement]");
  if (!form) return;
  const KEEPS = new Set(["csrfmiddlewaretoken", "key", "version", "reason", "codebook_note", "about"]);
  const TYPED = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])";
  const PRESSED = "a[href], button, summary";

  const take = (fields) => {
    const chosen = new Set(fields.map((field) => field.join("\n")));
    for (const one of form.querySelectorAll("input[name], textarea[name]")) {
      if (KEEPS.has(one.name)) continue;
      if (one.matches("[type=radio], [type=checkbox]")) one.checked = chosen.has(`${one.name}\n${one.value}`);
      else one.value = fields.find(([name]) => name === one.name)?.[1] ?? "";
    }
  };

  form.addEventListener("click", (event) => {
    const link = event.target.closest("[data-take]");
    if (!link) return;
    event.preventDefault();
    take(JSON.parse(link.dataset.fields));
    for (const one of form.querySelectorAll("[data-take]")) one.classList.toggle("is-taken", one === link);
    link.blur();
  });

  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target.closest ? event.target : document.body;
    if (event.key === "Escape" && target.closest(TYPED)) target.blur();
    const isNewLine = target.matches("textarea") && event.shiftKey;
    if (event.key !== "Enter" || isNewLine || target.closest(PRESSED)) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-save]"));
  });
})();
