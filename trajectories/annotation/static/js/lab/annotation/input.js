/* Input for a unit's form and for the form that settles a disagreement: filling in answers, and the meaning of keys. */

const TYPED = "textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])";
const PRESSED = "a[href], button, summary";

/** @param {Element} element */
export const isTyped = (element) => element.closest(TYPED) !== null;

/* Chooses exactly these answers; fields whose names are in `fixed` are left as they are. */
/** @type {(form: HTMLFormElement, fields: [string, string][], fixed: Set<string>) => void} */
export const fill = (form, fields, fixed) => {
  const chosen = new Set(fields.map((field) => field.join("\n")));
  for (const one of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[name], textarea[name]"))) {
    if (fixed.has(one.name)) continue;
    if (one.matches("[type=radio], [type=checkbox]")) one.checked = chosen.has(`${one.name}\n${one.value}`);
    else one.value = fields.find(([name]) => name === one.name)?.[1] ?? "";
  }
};

/* Returns "save", "back", or nothing if the key belongs to something else. Escape leaves a text field. */
/** @param {KeyboardEvent} event */
export const meaningOf = (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return "";
  if (document.querySelector("dialog[open]")) return "";
  /* A dialog that has just been closed leaves the focus on its hidden button until the next frame. */
  const target = event.target.checkVisibility?.() ? /** @type {HTMLElement} */ (event.target) : document.body;
  if (event.key === "Escape" && isTyped(target)) target.blur();
  if (event.key === "Backspace" && !isTyped(target)) return "back";
  const isNewLine = target.matches("textarea") && event.shiftKey;
  return event.key === "Enter" && !isNewLine && !target.closest(PRESSED) ? "save" : "";
};
