// Reads parts of the page's outline that an observation left out: a section by its name, and lines by a text.
"use strict";
(() => {
  const NAMES_SHOWN = 20;
  const EXCERPT_CHARS = 240;
  const SECTION = /^(?:heading|region|article|navigation|complementary|search|form|group|table|list|dialog|alertdialog|banner|main|contentinfo|figure)\b/;
  const HEAD = /^(?:- |\w+\. )?(?:\[(e\d+)\] )?([a-z]+)(?: (\d))?(?: "([^]*)")?/;

  const lines = () => (document.body ? palaestra.linesOf(document.body, true) : []);
  const fold = (text) => palaestra.clean(text).toLowerCase();
  const nameIn = (line) => (HEAD.exec(line.text) || [])[4] || "";
  const isSection = (line) => SECTION.test(line.text);

  function startOf(all, wanted) {
    const sought = fold(wanted.replace(/^\[(e\d+)\]$/, "$1"));
    const tests = [
      (line) => line.text.includes("[" + sought + "]"),
      (line) => isSection(line) && fold(nameIn(line)) === sought,
      (line) => fold(nameIn(line)) === sought,
      (line) => fold(line.text) === sought || line.text.split(" ")[0] === sought,
      (line) => isSection(line) && nameIn(line) && fold(nameIn(line)).includes(sought),
    ];
    for (const test of tests) {
      const place = sought ? all.findIndex(test) : -1;
      if (place >= 0) return place;
    }
    return -1;
  }
  // A heading's section extends to the next heading of its level; any other section is what is inside the element.
  function endOf(all, start) {
    const { depth, text } = all[start];
    const level = text.startsWith("heading ") ? +text[8] : 0;
    const isOver = (line) => line.depth < depth || (line.depth === depth && (!level || (line.text.startsWith("heading ") && +line.text[8] <= level)));
    let end = start + 1;
    while (end < all.length && !isOver(all[end])) end++;
    return end;
  }
  function section(name) {
    const all = lines();
    if (fold(name) === "page") return { text: all.map(palaestra.written).join("\n") };
    const start = startOf(all, name);
    if (start < 0) {
      const names = all.filter((line) => isSection(line) && nameIn(line)).map(nameIn);
      return { names: [...new Set(names)].slice(0, NAMES_SHOWN) };
    }
    const { el, depth, text } = all[start];
    if (el.tagName === "SELECT") return { text: text.replace(/ options: .*/, "") + " options: " + palaestra.optionsOf(el) };
    const part = all.slice(start, endOf(all, start));
    return { text: part.map((line) => palaestra.written({ ...line, depth: line.depth - depth })).join("\n") };
  }
  // The lines that contain a text, each with the name of the innermost section that it is in.
  function linesWith(text, most) {
    const all = lines(), sought = fold(text), out = [];
    const within = [];
    let count = 0;
    for (const line of all) {
      while (within.length && within[within.length - 1].depth >= line.depth) within.pop();
      const at = fold(line.text).indexOf(sought);
      if (at >= 0 && ++count <= most) {
        const start = Math.max(at - EXCERPT_CHARS / 2, 0), whole = palaestra.clean(line.text);
        const id = /\[e\d+\] /.exec(whole);
        const excerpt = whole.slice(start, start + EXCERPT_CHARS);
        const shown = (start && id && !excerpt.includes(id[0]) ? id[0] : "") + (start ? "\u2026" : "") + excerpt
          + (start + EXCERPT_CHARS < whole.length ? "\u2026" : "");
        out.push({ line: shown, section: within.length ? within[within.length - 1].text : "" });
      }
      if (isSection(line)) within.push({ depth: line.depth, text: palaestra.clean(line.text).slice(0, 80) });
    }
    return { count, lines: out };
  }
  Object.assign(globalThis.palaestra, { section, linesWith });
})();
