/* Adds an answer field without reloading the page; without this script the same button reloads it. If tools lead to
   other views of a table, typed answers are stored for the next view in this tab. */

/** @param {HTMLFormElement} form */
const listen = (form) => {
  /** @type {HTMLButtonElement} */
  const adder = form.querySelector("button[name=add]");
  /** @type {() => HTMLInputElement[]} */
  const inputs = () => Array.from(form.querySelectorAll("input[name=answer]"));

  const grow = () => {
    const fields = form.querySelectorAll(".field");
    const number = fields.length + 1;
    /** @type {HTMLElement} */
    const last = fields[fields.length - 1];
    const field = /** @type {HTMLElement} */ (last.cloneNode(true));
    const input = field.querySelector("input");
    const label = field.querySelector("label");
    for (const name of ["value", "autofocus", "aria-invalid", "aria-describedby"]) input.removeAttribute(name);
    input.value = "";
    input.id = `answer-${number}`;
    label.htmlFor = input.id;
    label.textContent = label.textContent.replace(/\d+$/, String(number));
    field.querySelector(".error")?.remove();
    last.after(field);
    if (number >= Number(form.dataset.answersMax)) adder.remove();
    return input;
  };

  adder?.addEventListener("click", (event) => {
    event.preventDefault();
    grow().focus();
  });

  if (!("answersPersist" in form.dataset)) return;
  /* A second answer begins with the first one, as the server sent it, and is stored separately. */
  const isSecond = form.querySelector("input[name=number]") !== null;
  const KEY = `answers ${location.pathname.replace(/[^/]*$/, "")}${isSecond ? " 2" : ""}`;
  /** @param {string[]} values */
  const isBlank = (values) => values.every((value) => value === "");
  const typed = () => inputs().map((input) => input.value);

  const stored = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  if ((isSecond || isBlank(typed())) && !isBlank(stored)) {
    while (inputs().length < stored.length) grow();
    inputs().forEach((input, place) => {
      input.value = stored[place] ?? "";
    });
  }
  addEventListener("pagehide", () => sessionStorage.setItem(KEY, JSON.stringify(typed())));
};

/** @type {HTMLFormElement} */
const form = document.querySelector("form[data-answers]");
if (form) listen(form);
