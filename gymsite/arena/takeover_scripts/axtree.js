// axtree-v2: the page as lines of text, one line per element or run of text. A line here is `{ depth, text, el }`. `el` is
// the element that the line describes or is inside of, so that a part of the page can be separated from the rest.
// This script runs in an isolated world, out of reach of the page's scripts; its functions are under `palaestra`.
// The format is versioned: a change to any line is a new version, not an edit.
"use strict";
(() => {
  const LIMIT_CHARS = 100000;
  const VALUE_CHARS = 400;
  const OPTIONS_CHARS = 100; // of a list's options; the rest of a longer list is counted
  const ITEM_CHARS = 300; // a list item of several short lines is one line up to here
  const CONTAINERS = new Set(["main", "navigation", "banner", "contentinfo", "complementary", "search", "list", "dialog",
    "alertdialog", "alert", "status", "radiogroup", "tablist", "tabpanel", "menu", "listbox", "toolbar", "figure", "blockquote"]);
  const NAMED_CONTAINERS = new Set(["form", "region", "group", "article"]);
  const INTERACTIVE = new Set(["button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox",
    "slider", "spinbutton", "switch", "tab", "menuitem", "option", "treeitem", "summary"]);
  const TAG_ROLES = { MAIN: "main", NAV: "navigation", ASIDE: "complementary", FORM: "form", UL: "list", OL: "list",
    MENU: "list", LI: "listitem", TABLE: "table", BUTTON: "button", TEXTAREA: "textbox", DIALOG: "dialog",
    FIELDSET: "group", ARTICLE: "article", FIGURE: "figure", SUMMARY: "summary", OUTPUT: "status", IMG: "image",
    SVG: "image", MATH: "math", PROGRESS: "progressbar", METER: "meter", SECTION: "region", SEARCH: "search",
    BLOCKQUOTE: "blockquote" };
  const INPUT_ROLES = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
    button: "button", submit: "button", reset: "button", image: "button" };
  const SKIPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "LINK", "META", "DATALIST"]);

  // ---- roles, names, states
  function roleOf(el) {
    const given = (el.getAttribute("role") || "").trim().split(/\s+/)[0];
    if (given && given !== "presentation" && given !== "none") return given === "img" ? "image" : given;
    const tag = el.tagName.toUpperCase();
    if (/^H[1-6]$/.test(tag)) return "heading";
    if (tag === "A" || tag === "AREA") return el.hasAttribute("href") ? "link" : "";
    if (tag === "INPUT") return INPUT_ROLES[el.type] || (el.type === "hidden" ? "" : "textbox");
    if (tag === "SELECT") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if ((tag === "HEADER" || tag === "FOOTER") && !el.closest("main,article,section,nav,aside"))
      return tag === "HEADER" ? "banner" : "contentinfo";
    if (el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
    return given ? "" : TAG_ROLES[tag] || "";
  }
  const clean = (text) => text.replace(/\s+/g, " ").trim();

  function mathText(el, style) {
    const own = el.getAttribute("aria-label") || el.getAttribute("alttext");
    const tex = own || (el.querySelector('annotation[encoding="application/x-tex"]') || el).textContent;
    if (/^\s*(\$|\\\(|\\\[)/.test(tex)) return clean(tex);
    const isBlock = el.hasAttribute("data-display") ? el.getAttribute("data-display") !== "false"
      : !/^(inline|contents)/.test((style || getComputedStyle(el)).display);
    return isBlock ? " $$" + clean(tex) + "$$ " : "$" + clean(tex) + "$";
  }
  function isGone(el, style) {
    return SKIPPED.has(el.tagName) || style.display === "none" || el.getAttribute("aria-hidden") === "true" || el.inert;
  }
  // The words of a subtree on one line, as the text of a name, a heading or an option.
  function wordsOf(el, without) {
    const parts = [];
    const walk = (node) => {
      if (node.nodeType === 3) { parts.push(node.data); return; }
      if (node.nodeType !== 1 || node === without) return;
      const style = getComputedStyle(node);
      if (isGone(node, style) || style.visibility !== "visible") return;
      const role = roleOf(node);
      if (role === "math") { parts.push(mathText(node, style)); return; }
      if (role === "image") { parts.push(node.getAttribute("alt") || node.getAttribute("aria-label") || ""); return; }
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(node.tagName)) return;
      if (node.tagName === "BR" || !style.display.startsWith("inline")) parts.push(" ");
      for (const child of (node.shadowRoot || node).childNodes) walk(child);
      if (!style.display.startsWith("inline")) parts.push(" ");
    };
    for (const child of (el.shadowRoot || el).childNodes) walk(child);
    return clean(parts.join(""));
  }
  const FROM_CONTENT = new Set(["button", "link", "heading", "option", "tab", "menuitem", "treeitem", "summary", "switch",
    "checkbox", "radio"]);
  function nameOf(el, role) {
    const by = el.getAttribute("aria-labelledby");
    if (by) {
      const words = by.trim().split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean).map((e) => wordsOf(e));
      if (words.join("")) return clean(words.join(" "));
    }
    const label = el.getAttribute("aria-label");
    if (label && label.trim()) return clean(label);
    if (el.labels && el.labels.length) return clean([...el.labels].map((l) => wordsOf(l, el)).join(" "));
    if (el.tagName === "INPUT" && role === "button") return clean(el.value || el.alt || (el.type === "reset" ? "Reset" : "Submit"));
    if (role === "image") return clean(el.getAttribute("alt") || (el.querySelector("title") || {}).textContent || "");
    if (el.tagName === "FIELDSET" || el.tagName === "TABLE" || el.tagName === "FIGURE") {
      const head = el.querySelector(":scope > legend, :scope > caption, :scope > figcaption");
      if (head) return wordsOf(head);
    }
    if (FROM_CONTENT.has(role) && !/^(INPUT|SELECT|TEXTAREA)$/.test(el.tagName)) {
      const words = wordsOf(el);
      if (words) return words;
    }
    return clean(el.getAttribute("placeholder") || el.getAttribute("title") || "");
  }
  function valueOf(el, role) {
    if (el.tagName === "SELECT") return [...el.selectedOptions].map((o) => clean(o.label || o.text)).join(", ");
    if (el.type === "password") return "\u2022".repeat(el.value.length);
    const isEdited = role === "textbox" && el.value === undefined;
    const value = isEdited ? el.innerText.replace(/\n$/, "")
      : el.value === undefined ? el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow") || "" : String(el.value);
    const shown = value.slice(0, VALUE_CHARS).replace(/\n/g, "\\n");
    return value.length > VALUE_CHARS ? shown + "\u2026 (" + value.length + " characters)" : shown;
  }
  const HAS_VALUE = new Set(["textbox", "searchbox", "combobox", "slider", "spinbutton", "listbox"]);
  function statesOf(el, role) {
    const out = [];
    const aria = (name) => el.getAttribute("aria-" + name);
    if (["checkbox", "radio", "switch", "menuitemcheckbox"].includes(role)) {
      const mixed = el.indeterminate || aria("checked") === "mixed";
      out.push(mixed ? "mixed" : (el.checked === undefined ? aria("checked") === "true" : el.checked) ? "checked" : "unchecked");
    }
    if (el.matches(":disabled") || aria("disabled") === "true") out.push("disabled");
    const expanded = role === "summary" ? String(!!(el.parentElement && el.parentElement.open)) : aria("expanded");
    if (expanded === "true") out.push("expanded");
    if (expanded === "false") out.push("collapsed");
    if (aria("selected") === "true") out.push("selected");
    if (aria("pressed") === "true") out.push("pressed");
    if (aria("current") && aria("current") !== "false") out.push("current");
    if (el.readOnly === true || aria("readonly") === "true") out.push("readonly");
    if (el.required === true || aria("required") === "true") out.push("required");
    if (aria("invalid") === "true") out.push("invalid");
    if (el === document.activeElement) out.push("focused");
    return out;
  }
  function optionsOf(el, limit = Infinity) {
    const options = [...el.options].map((o) => '"' + clean(o.label || o.text) + '"' + (o.disabled ? " (disabled)" : ""));
    let shown = 0, chars = 0;
    while (shown < options.length && (shown < 2 || chars + options[shown].length <= limit)) chars += options[shown++].length + 3;
    const more = options.length - shown;
    return options.slice(0, shown).join(" | ") + (more > 0 ? " | ... " + more + " more" : "");
  }
  // A link's address: empty for another view of the same page, and "?..." for a query that repeats the page's own.
  function addressOf(el) {
    const url = new URL(el.href, location.href);
    if (url.origin !== location.origin) return url.href;
    if (url.pathname === location.pathname) return "";
    const parts = url.search.slice(1).split("&").filter(Boolean);
    const own = location.search.slice(1).split("&").filter((part) => /=./.test(part));
    const isRepeated = own.length > 0 && own.every((part) => parts.includes(part));
    const query = isRepeated ? ["...", ...parts.filter((part) => !own.includes(part))] : parts;
    return url.origin + url.pathname + (query.length ? "?" + query.join("&") : "") + url.hash;
  }
  function isInteractive(el, role) {
    if (INTERACTIVE.has(role)) return true;
    return el.tabIndex >= 0 && el.hasAttribute("tabindex") && !CONTAINERS.has(role) && !(role === "" && scrolls(el));
  }
  // A block that can be focused only so that the keyboard can scroll it is not interactive.
  function scrolls(el) {
    const style = getComputedStyle(el);
    return /auto|scroll/.test(style.overflowX + style.overflowY);
  }
  function describe(el, role, withAddress = true) {
    const name = nameOf(el, role);
    const parts = ["[" + palaestra.assignId(el, role, name) + "]", role || "element"];
    if (name || role) parts.push('"' + name + '"');
    if (HAS_VALUE.has(role)) parts.push('value="' + valueOf(el, role) + '"');
    parts.push(...statesOf(el, role));
    if (el.tagName === "SELECT") parts.push("options: " + optionsOf(el, OPTIONS_CHARS));
    const address = role === "link" && el.href && withAddress ? addressOf(el) : "";
    if (address) parts.push("-> " + address);
    return parts.join(" ");
  }

  // ---- the walk
  const indented = (lines) => lines.map((line) => ({ ...line, depth: line.depth + 1 }));

  class Writer {
    constructor(el) { this.el = el; this.lines = []; this.run = ""; this.runEl = null; }
    text(words, el) { this.run += words; if (!this.runEl && clean(words)) this.runEl = el; }
    flush() {
      const words = clean(this.run);
      if (words) this.lines.push({ depth: 0, text: "text: " + words, el: this.runEl || this.el });
      this.run = "";
      this.runEl = null;
    }
    line(text, el) { this.flush(); this.lines.push({ depth: 0, text, el }); }
    nest(head, el, lines) { this.line(head, el); this.lines.push(...indented(lines)); }
  }
  function linesOf(el, isShown) {
    const writer = new Writer(el);
    children(el, writer, isShown);
    writer.flush();
    return writer.lines;
  }
  function children(el, writer, isShown) {
    const slotted = el.tagName === "SLOT" ? el.assignedNodes({ flatten: true }) : [];
    for (const child of slotted.length ? slotted : (el.shadowRoot || el).childNodes) {
      if (child.nodeType === 3) { if (isShown) writer.text(child.data, el); } else if (child.nodeType === 1) visit(child, writer);
    }
  }
  function visit(el, writer) {
    const style = getComputedStyle(el);
    if (isGone(el, style)) return;
    const isShown = style.visibility === "visible";
    const role = roleOf(el);
    if (!isShown) { children(el, writer, false); return; }
    if (role === "math") { writer.text(mathText(el, style), el); return; }
    if (isLabelOfShown(el)) {
      if (el.contains(el.control)) visit(el.control, writer);
      return;
    }
    if (isInteractive(el, role)) { interactive(el, role, writer); return; }
    if (role === "heading") { heading(el, role, writer); return; }
    if (role === "image") { image(el, role, writer); return; }
    if (role === "table" || role === "grid") { table(el, writer); return; }
    if (role === "list") { list(el, writer); return; }
    if (role === "progressbar" || role === "meter") { writer.line(role + ' "' + nameOf(el, role) + '" value="' + valueOf(el, role) + '"', el); return; }
    if (el.tagName === "DETAILS" && !el.open) {
      const summary = el.querySelector(":scope > summary");
      if (summary) visit(summary, writer);
      return;
    }
    if (el.tagName === "DL") { definitions(el, writer); return; }
    if (el.tagName === "HR") { writer.line("separator", el); return; }
    if (el.tagName === "BR") { writer.flush(); return; }
    if (el.tagName === "IFRAME") { writer.line('frame "' + clean(el.title || "") + '"', el); return; }
    if (isPreformatted(el, style)) { preformatted(el, writer); return; }
    const name = CONTAINERS.has(role) || NAMED_CONTAINERS.has(role) ? nameOf(el, role) : "";
    if (CONTAINERS.has(role) || (NAMED_CONTAINERS.has(role) && name)) {
      const inner = linesOf(el, isShown);
      const head = role + (name ? ' "' + name + '"' : "") + (isModal(el, role) ? " modal" : "");
      if (inner.length) writer.nest(head, el, contents(role, name, inner));
      return;
    }
    if (el.tagName === "LEGEND" || el.tagName === "CAPTION" || el.tagName === "FIGCAPTION") return;
    const isBlock = !/^(inline|contents|ruby)/.test(style.display) || style.display === "inline-block" && el.childElementCount > 0;
    if (isBlock) writer.flush();
    children(el, writer, isShown);
    if (isBlock) writer.flush();
  }
  // Nothing else on the page can be used before a modal dialog is closed, so nothing else is shown.
  const isModal = (el, role) => /dialog$/.test(role) && (el.matches(":modal") || el.getAttribute("aria-modal") === "true");
  // A figure's name replaces the names of its pictures.
  function contents(role, name, lines) {
    if (role === "figure" && name) return lines.filter((line) => !line.text.startsWith('image "'));
    return withoutTitle(role === "article" ? joined(lines) : lines, name);
  }
  // A heading or text that only repeats the part's name is left out of the part.
  function withoutTitle(lines, name) {
    const isTitle = (text) => text === "text: " + name || text.replace(/^heading \d /, "") === '"' + name + '"';
    const title = name ? lines.findIndex((line) => line.depth === 0 && isTitle(line.text)) : -1;
    if (title < 0) return lines;
    let end = title + 1;
    while (end < lines.length && lines[end].depth > 0) end++;
    const inside = lines.slice(title + 1, end).map((line) => ({ ...line, depth: line.depth - 1 }));
    return [...lines.slice(0, title), ...inside, ...lines.slice(end)];
  }
  // A label's text is already shown as the name of its control, so it is not repeated.
  function isLabelOfShown(el) {
    if (el.tagName !== "LABEL" || !el.control) return false;
    const control = getComputedStyle(el.control);
    return !el.control.hasAttribute("aria-label") && control.display !== "none" && control.visibility === "visible";
  }
  function interactive(el, role, writer) {
    writer.line(describe(el, role), el);
    if (role === "" && isPreformatted(el, getComputedStyle(el))) { writer.lines.push(...indented(preformattedLines(el))); return; }
    if (role === "" || (role === "listbox" && el.tagName !== "SELECT")) writer.lines.push(...indented(linesOf(el, true)));
  }
  // A heading's text is its name; interactive elements inside are listed too, so that they have an id.
  function heading(el, role, writer) {
    const level = el.getAttribute("aria-level") || el.tagName[1] || 2;
    writer.nest("heading " + level + ' "' + nameOf(el, role) + '"', el, linesOf(el, true).filter((line) => /^\[e/.test(line.text)));
  }
  function isPreformatted(el, style) {
    return /^pre/.test(style.whiteSpace) && /\n/.test(el.textContent.trim()) && !el.firstElementChild;
  }
  function preformattedLines(el) {
    return el.textContent.replace(/\s+$/, "").split("\n").map((line) => ({ depth: 0, text: "| " + line, el }));
  }
  function preformatted(el, writer) {
    writer.nest("preformatted:", el, preformattedLines(el));
  }
  function marker(item, index, start) {
    const parent = item.parentElement;
    if (!parent || parent.tagName !== "OL") return "-";
    const n = item.hasAttribute("value") ? item.value : start + index;
    return (/^[aA]$/.test(parent.type) ? String.fromCharCode(parent.type.charCodeAt(0) + n - 1) : n) + ".";
  }
  // Adjacent short texts in a list item or an article are joined into one line, with an element that precedes them.
  function joined(lines) {
    const out = [];
    for (const line of lines) {
      const words = /^(?:text: |(?=image "))(.*)/.exec(line.text);
      const last = out[out.length - 1];
      const isShort = words && line.depth === 0 && last && last.isOpen && last.text.length + words[1].length <= ITEM_CHARS;
      if (isShort) last.text += " | " + words[1];
      else out.push({ ...line, isOpen: line.depth === 0 && (words !== null || (out.length === 0 && /^\[e/.test(line.text))) });
    }
    return out;
  }
  function list(el, writer) {
    const name = nameOf(el, "list");
    const lines = [];
    [...el.children].filter((item) => !isGone(item, getComputedStyle(item))).forEach((item, index) => {
      const inner = joined(linesOf(item, true));
      const mark = marker(item, index, el.start || 1);
      if (inner.length === 1) lines.push({ depth: 0, text: mark + " " + inner[0].text.replace(/^text: /, ""), el: item });
      else if (inner.length) lines.push({ depth: 0, text: mark, el: item }, ...indented(inner));
    });
    if (lines.length) writer.nest("list" + (name ? ' "' + name + '"' : ""), el, lines);
  }
  // A term and its definition share a line if both are plain text.
  function definitions(el, writer) {
    const term = new Writer(el);
    for (const part of el.querySelectorAll(":scope > dt, :scope > dd, :scope > div > dt, :scope > div > dd")) {
      const lines = linesOf(part, true);
      const isWords = lines.length === 1 && /^text: /.test(lines[0].text);
      const last = term.lines[term.lines.length - 1];
      if (part.tagName === "DD" && isWords && last && last.isTerm) last.text += ": " + lines[0].text.slice(6);
      else term.lines.push(...lines.map((line) => ({ ...line, isTerm: part.tagName === "DT" && isWords })));
    }
    for (const line of term.lines) writer.flush(), writer.lines.push(line);
  }
  // A picture is named unless the text around it already contains its name.
  function image(el, role, writer) {
    const name = nameOf(el, role);
    const around = el.closest("a,figure,li,article,section,tr") || el.parentElement;
    if (name && !(around && wordsOf(around, el).toLowerCase().includes(name.toLowerCase()))) writer.line('image "' + name + '"', el);
  }
  // Lines within a table cell are separated by slashes in its row.
  function cellText(cell) {
    return linesOf(cell, true).map((line) => line.text.replace(/^text: /, "")).join(" / ").replace(/\|/g, "\\|");
  }
  function table(el, writer) {
    const name = nameOf(el, "table");
    const lines = [];
    for (const row of el.rows || el.querySelectorAll('[role="row"]')) {
      if (isGone(row, getComputedStyle(row))) continue;
      const cells = [...(row.cells || row.querySelectorAll('[role$="cell"],[role$="header"]'))].filter((c) => !isGone(c, getComputedStyle(c)));
      const isHead = cells.length > 0 && cells.every((c) => c.tagName === "TH" || /header$/.test(c.getAttribute("role") || ""));
      lines.push({ depth: 0, text: (isHead ? "header: " : "row: ") + cells.map(cellText).join(" | "), el: row });
    }
    writer.nest("table" + (name ? ' "' + name + '"' : ""), el, lines);
  }
  const written = (line) => "  ".repeat(line.depth) + line.text;
  function isInView(el) {
    const box = el.getBoundingClientRect();
    return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.height > 0;
  }
  // The page's body as text, and the numbers of the lines that are in view.
  function serialise() {
    const lines = document.body ? linesOf(document.body, true) : [];
    const inView = [];
    let chars = 0, end = 0;
    for (; end < lines.length && chars <= LIMIT_CHARS; end++) {
      chars += written(lines[end]).length + 1;
      if (isInView(lines[end].el)) inView.push(end);
    }
    const text = lines.slice(0, end).map(written).join("\n");
    return { text: end < lines.length ? text + "\n(cut: the page is longer)" : text, inView };
  }
  // An element's role and name, as a reader would call it.
  function labelOf(el, limit) {
    const role = roleOf(el), name = nameOf(el, role) || (el.querySelector("h1,h2,h3,h4") || {}).textContent || "";
    const text = clean(name);
    const shown = limit && text.length > limit ? text.slice(0, limit) + "\u2026" : text;
    return role || shown ? (role || "element") + (shown ? ' "' + shown + '"' : "") : "";
  }
  Object.assign(globalThis.palaestra, { serialise, linesOf, written, describe, roleOf, nameOf, isInteractive, optionsOf, clean, labelOf });
})();
