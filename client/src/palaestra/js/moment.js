// A fingerprint of the page at this moment: where everything in view is, what its fields contain, and how often the
// page has changed. A picture and its description belong together if the fingerprint is the same before and after.
"use strict";
(() => {
  let changes = 0;
  // The step number on the root element does not count, because the harness writes it.
  const isOurs = (change) => change.target === document.documentElement && change.attributeName === "data-step";
  const count = (records) => { for (const change of records) if (!isOurs(change)) changes++; };
  const observer = new MutationObserver(count);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  function moment() {
    count(observer.takeRecords());
    let hash = 0;
    const add = (number) => { hash = (Math.imul(hash, 31) + Math.round(number)) | 0; };
    const addText = (text) => { for (let i = 0; i < text.length; i++) add(text.charCodeAt(i)); };
    for (const el of palaestra.elementsIn(document)) {
      const box = el.getBoundingClientRect();
      if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) continue;
      add(box.left), add(box.top), add(box.width), add(box.height), add(el.scrollLeft), add(el.scrollTop);
      if (typeof el.value === "string") addText(el.value);
      if (el.checked) add(1);
    }
    const view = visualViewport;
    return [innerWidth, innerHeight, scrollX, scrollY, view.scale, view.offsetLeft, view.offsetTop, changes, hash].join();
  }
  Object.assign(globalThis.palaestra, { moment });
})();
