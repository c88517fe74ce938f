/* In the program's field, Tab indents, Shift+Tab removes an indentation, and Escape lets the next Tab leave the
   field. Nothing else is typed automatically. */

/** @param {HTMLTextAreaElement} field */
const edit = (field) => {
  const INDENT = "    ";
  const OUTDENT = /^(?: {1,4}|\t)/gm;

  /* This is the only way to change a field so that the user can undo the change. */
  /** @param {string} text */
  const replace = (text) => {
    if (text) document.execCommand("insertText", false, text);
    else document.execCommand("delete");
  };

  /* Select whole lines, except a last line in whose first column the selection ends. */
  const selectLines = () => {
    const { selectionStart: start, selectionEnd: end, value } = field;
    const first = value.lastIndexOf("\n", start - 1) + 1;
    const last = end > start && value[end - 1] === "\n" ? end - 1 : end;
    const next = value.indexOf("\n", last);
    field.setSelectionRange(first, next < 0 ? value.length : next);
    return first;
  };

  /** @param {(lines: string) => string} change */
  const changeLines = (change) => {
    const { selectionStart: start, selectionEnd: end } = field;
    const first = selectLines();
    const before = field.value.slice(first, field.selectionEnd);
    const after = change(before);
    if (after === before) {
      field.setSelectionRange(start, end);
      return;
    }
    replace(after);
    if (start === end) {
      const place = Math.max(first, start + after.length - before.length);
      field.setSelectionRange(place, place);
    } else {
      field.setSelectionRange(first, first + after.length);
    }
  };

  /** @param {string} lines */
  const outdent = (lines) => lines.replace(OUTDENT, "");
  /** @param {string} lines */
  const indent = (lines) => lines.replace(/^(?=.)/gm, INDENT);
  const hasSeveralLines = () => field.value.slice(field.selectionStart, field.selectionEnd).includes("\n");

  let isLeaving = false;
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isLeaving) {
      isLeaving = true;
      /* The first Escape belongs to the field; the next one may close the dialog around it. */
      event.preventDefault();
    }
    if (event.key !== "Tab") {
      if (!["Escape", "Shift"].includes(event.key)) isLeaving = false;
      return;
    }
    if (isLeaving || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) changeLines(outdent);
    else if (hasSeveralLines()) changeLines(indent);
    else replace(INDENT);
  });
  field.addEventListener("blur", () => {
    isLeaving = false;
  });

  document.querySelector("#answer-keys").hidden = false;
};

/** @type {HTMLTextAreaElement} */
const field = document.querySelector("textarea[data-code]");
if (field) edit(field);
