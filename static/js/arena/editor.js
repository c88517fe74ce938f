/* Puts CodeMirror in place of the program's field, and writes its text back into that. Nothing is typed automatically:
   brackets and quotes are not closed and lines not indented, so that the program is exactly what was typed. */

/** @param {HTMLTextAreaElement} field */
const replace = (field) => {
  const { EditorState, EditorView, HighlightStyle, history, historyKeymap, indentLess, indentMore, indentUnit,
    insertNewline, keymap, lineNumbers, pythonLanguage, standardKeymap, syntaxHighlighting, tags } = CodeMirror;
  const INDENT = "    ";
  const label = field.labels[0];

  const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword], color: "var(--accent-strong)", fontWeight: "650" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
    { tag: tags.comment, color: "var(--ink-soft)", fontStyle: "italic" },
    { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--accent)" },
  ]);

  /** @param {any} view */
  const indent = (view) => {
    const { state } = view;
    const hasSeveralLines = state.selection.ranges.some(
      (/** @type {any} */ { from, to }) => state.doc.lineAt(from).number !== state.doc.lineAt(to).number);
    if (hasSeveralLines) return indentMore(view);
    view.dispatch(state.replaceSelection(INDENT), { scrollIntoView: true, userEvent: "input" });
    return true;
  };
  /** @param {any} view */
  const leave = (view) => {
    view.setTabFocusMode(true);
    return true;
  };
  /** @type {(event: KeyboardEvent, view: any) => boolean} */
  const stay = (event, view) => {
    if (!["Escape", "Tab", "Shift"].includes(event.key)) view.setTabFocusMode(false);
    return false;
  };

  const writeBack = EditorView.updateListener.of((/** @type {any} */ update) => {
    if (!update.docChanged) return;
    field.value = update.state.doc.toString();
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });

  const view = new EditorView({
    doc: field.value,
    extensions: [
      keymap.of([
        { key: "Enter", shift: insertNewline, run: insertNewline },
        { key: "Tab", shift: indentLess, run: indent },
        { key: "Escape", run: leave },
        ...historyKeymap,
        ...standardKeymap,
      ]),
      history(),
      lineNumbers(),
      indentUnit.of(INDENT),
      EditorState.tabSize.of(4),
      EditorView.lineWrapping,
      EditorView.domEventHandlers({ keydown: stay, blur: (/** @type {Event} */ _event, /** @type {any} */ left) => left.setTabFocusMode(false) }),
      EditorView.contentAttributes.of({
        "aria-label": label.textContent.trim(),
        "aria-describedby": field.getAttribute("aria-describedby"),
        ...(field.getAttribute("aria-invalid") && { "aria-invalid": "true" }),
        ...(field.autofocus && { autofocus: "" }),
      }),
      pythonLanguage,
      syntaxHighlighting(colours),
      writeBack,
    ],
  });

  field.hidden = true;
  field.after(view.dom);
  /* The editor already has the label's text as its name; a second time it would seem part of the question. */
  label.setAttribute("aria-hidden", "true");
  label.addEventListener("click", () => view.focus());
  document.querySelector("#answer-keys").hidden = false;
};

/** @type {HTMLTextAreaElement} */
const field = document.querySelector("textarea[data-code]");
if (field && window.CodeMirror) replace(field);
