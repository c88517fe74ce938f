/* A picture that does not come, or is none: in its place stands the hatched frame that the server draws for one that it
   knows to be missing, with words that say what is missing. It may have failed before this file ran, or before it came into
   the page with a part that was fetched. Without this file its alternative text stands there. */
"use strict";

(() => {
  const SMALL = ".step-thumbnail, .task-thumbnail";
  const LOST = "missing or damaged";
  const NO_PAIR = "One of the two pictures is missing or damaged.";
  const main = document.querySelector("main");
  if (!main) return;

  const made = (name, className, text) => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  };

  const small = (className, says) => {
    const frame = made("span", className, "");
    frame.append(made("span", "visually-hidden", says));
    frame.title = says;
    return frame;
  };

  /* As large as the picture was to be, where that is known. */
  const large = (picture, says) => {
    const frame = made("span", "picture-none muted small", says);
    const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
    if (width && height) {
      frame.style.width = `min(100%, ${width}px)`;
      frame.style.aspectRatio = `${width} / ${height}`;
    }
    return frame;
  };

  const missShot = (shot) => {
    for (const one of shot.closest(".shot-card")?.querySelectorAll("[data-of-picture]") ?? []) one.remove();
    shot.replaceWith(made("p", "muted shot-none", "Its file is missing from the store, or damaged."));
  };

  const miss = (picture) => {
    const shot = picture.closest(".shot");
    const pair = picture.closest("[data-wipe]");
    const says = `${picture.alt || "Screenshot"} (${LOST})`;
    if (shot) missShot(shot);
    else if (pair) pair.replaceWith(made("p", "picture-none muted", NO_PAIR));
    else if (picture.closest(".frame")) picture.replaceWith(small("frame-blank", says));
    else if (picture.matches(SMALL)) picture.replaceWith(small(`${picture.className} is-blank`, says));
    else if (picture.matches(".compare-shot")) picture.replaceWith(made("span", "compare-shot is-blank muted small", says));
    else picture.replaceWith(large(picture, says));
  };

  const look = (node) => {
    const all = node.localName === "img" ? [node] : node.querySelectorAll?.("img") ?? [];
    for (const one of all) if (one.complete && !one.naturalWidth) miss(one);
  };

  main.addEventListener("error", ({ target }) => target.localName === "img" && miss(target), true);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(look);
  }).observe(main, { childList: true, subtree: true });
  look(main);
})();
