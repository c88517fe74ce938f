// Element ids, numbered throughout an episode. An element keeps its id as long as it exists. If it is drawn again, on
// this page or a later one, the new element takes over the id of the old one with the same name in the same item.
// This script runs in the same isolated world as the other scripts.
"use strict";
(() => {
  const numberOf = new WeakMap();
  const holders = new Map(); // number -> WeakRef of the element that has it on this page
  let numbers = {}; // fingerprint -> number
  let fresh = null; // those that the harness does not know yet
  let last = 0;

  // Takes over the numbers that earlier pages of the episode assigned.
  function adopt(known) {
    numbers = known;
    last = Math.max(last, 0, ...Object.values(known));
  }
  function takeFresh() {
    const taken = fresh;
    fresh = null;
    return taken;
  }
  // cyrb53 (public domain, by bryc): 53 bits are enough for some thousand elements.
  function fingerprint(text) {
    let high = 0xdeadbeef, low = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      high = Math.imul(high ^ text.charCodeAt(i), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(i), 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
  }
  // The record that an element belongs to, since after filtering a list, "More" may belong to a different record.
  const ITEM = "li,tr,article,[role=listitem],[role=row],[role=article]";
  const TITLE = "h1,h2,h3,h4,h5,h6,[role=heading],th";
  const TITLE_CHARS = 80;
  function recordOf(el) {
    const parent = el.parentElement, item = parent && parent.closest(ITEM), holder = parent && parent.closest("[id]");
    const isHeld = item && (!holder || !item.contains(holder)); // an item without an id is known by its title
    const title = isHeld ? (item.querySelector(TITLE) || item).textContent.trim().slice(0, TITLE_CHARS) : "";
    return [holder ? holder.id : "", title.replace(/\s+/g, " ")].join("\u0000");
  }
  // The features by which an element is recognised again. A link's path counts without its query, and relative to the
  // episode's address, because a fork has a different address.
  const EPISODE = /^(?:\/.*?)?\/e\/[^/]+\//;
  function callOf(el, role, name) {
    const path = (el.pathname || "").replace(EPISODE, "/");
    return [role, el.id || el.getAttribute("name") || "", path, name, recordOf(el)].join("\u0000");
  }
  const elementOfNumber = (number) => {
    const el = holders.get(number)?.deref();
    return el && el.isConnected ? el : null;
  };
  function numberFor(el, role, name) {
    const call = callOf(el, role, name);
    for (let place = 1; ; place++) {
      const key = fingerprint(`${call}\u0000${place}`);
      if (numbers[key] === undefined) {
        numbers[key] = ++last;
        (fresh ||= {})[key] = last;
        return last;
      }
      if (!elementOfNumber(numbers[key])) return numbers[key];
    }
  }
  function assignId(el, role, name) {
    if (!numberOf.has(el)) {
      const number = numberFor(el, role, name);
      numberOf.set(el, number);
      holders.set(number, new WeakRef(el));
    }
    return `e${numberOf.get(el)}`;
  }
  const elementOf = (id) => (/^e\d+$/.test(id) ? elementOfNumber(Number(id.slice(1))) : null);
  const idOf = (el) => (numberOf.has(el) ? `e${numberOf.get(el)}` : "");
  // The ids that exist, to mention when an id does not: "e1, e2, e5 and 9 more".
  const NAMED = 6;
  function idsInWords() {
    const numbersShown = [...holders.keys()].filter((number) => elementOfNumber(number)?.checkVisibility());
    const ids = numbersShown.sort((a, b) => a - b).map((number) => `e${number}`);
    const others = ids.length - NAMED;
    return others > 1 ? `${ids.slice(0, NAMED).join(", ")} and ${others} more` : ids.join(", ");
  }
  globalThis.palaestra = { adopt, takeFresh, assignId, elementOf, idOf, idsInWords };
})();
