/* Adds an answer field without asking the server for the page again. Without this file the same button does that. */
"use strict";

(() => {
  const grow = (form, button) => {
    const fields = form.querySelectorAll(".field");
    const last = fields[fields.length - 1];
    const number = fields.length + 1;
    const field = last.cloneNode(true);
    const input = field.querySelector("input");
    const label = field.querySelector("label");
    input.id = `answer-${number}`;
    input.value = "";
    for (const name of ["value", "autofocus", "aria-invalid", "aria-describedby"]) input.removeAttribute(name);
    label.htmlFor = input.id;
    label.textContent = label.textContent.replace(/\d+$/, String(number));
    field.querySelector(".error")?.remove();
    last.after(field);
    if (number >= Number(form.dataset.answersMax)) button.remove();
    input.focus();
  };

  for (const form of document.querySelectorAll("form[data-answers]")) {
    const button = form.querySelector("button[name=add]");
    button?.addEventListener("click", (event) => {
      event.preventDefault();
      grow(form, button);
    });
  }
})();
