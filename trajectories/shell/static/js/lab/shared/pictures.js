/* Replaces a picture that cannot be loaded by the hatched frame that the server draws for missing pictures, labelled
   with the picture's name. The picture may have failed before this file ran, or before a fetched part was added to the
   page. Without this file, the alternative text is shown. */

import { create } from "./elements.js";

/** @param {HTMLElement} main */
const watch = (main) => {
  const SMALL = ".step-thumbnail, .task-thumbnail";
  const LOST = "missing or damaged";
  const NO_PAIR = "One of the two pictures is missing or damaged.";

  /** @type {(className: string, label: string) => HTMLElement} */
  const small = (className, label) => {
    const frame = create("span", className);
    frame.append(create("span", "visually-hidden", label));
    frame.title = label;
    return frame;
  };

  /* The frame has the size of the picture, if that is known. */
  /** @type {(picture: HTMLImageElement, label: string) => HTMLElement} */
  const large = (picture, label) => {
    const frame = create("span", "picture-none muted small", label);
    const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
    if (width && height) {
      frame.style.width = `min(100%, ${width}px)`;
      frame.style.aspectRatio = `${width} / ${height}`;
    }
    return frame;
  };

  /** @param {HTMLElement} shot */
  const missShot = (shot) => {
    for (const one of shot.closest(".shot-card")?.querySelectorAll("[data-of-picture]") ?? []) one.remove();
    shot.replaceWith(create("p", "muted shot-none", "Its file is missing from the store, or damaged."));
  };

  /** @param {HTMLImageElement} picture */
  const miss = (picture) => {
    const shot = picture.closest(".shot");
    const pair = picture.closest("[data-wipe]");
    const label = `${picture.alt || "Screenshot"} (${LOST})`;
    if (shot) missShot(shot);
    else if (pair) pair.replaceWith(create("p", "picture-none muted", NO_PAIR));
    else if (picture.closest(".frame")) picture.replaceWith(small("frame-blank", label));
    else if (picture.matches(SMALL)) picture.replaceWith(small(`${picture.className} is-blank`, label));
    else if (picture.matches(".compare-shot")) picture.replaceWith(create("span", "compare-shot is-blank muted small", label));
    else picture.replaceWith(large(picture, label));
  };

  /** @param {any} node */
  const check = (node) => {
    const all = node.localName === "img" ? [node] : node.querySelectorAll?.("img") ?? [];
    for (const one of all) if (one.complete && !one.naturalWidth) miss(one);
  };

  main.addEventListener("error", (/** @type {any} */ { target }) => target.localName === "img" && miss(target), true);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(check);
  }).observe(main, { childList: true, subtree: true });
  check(main);
};

const main = document.querySelector("main");
if (main) watch(main);
