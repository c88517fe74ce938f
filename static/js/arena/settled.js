/* Marks a page as ready with <html data-settled="true"> once it has loaded, its fonts and pictures are drawn, and no
   request is pending. The marker is removed as soon as the page is about to be left, so that nobody takes the old page
   for the new one. Scripts that fetch something delay the marker with hold() ... release(). */

const root = document.documentElement;
/* If a navigation does not lead to another page (because it was aborted, say), this page is ready again after this. */
const STAYED_MS = 2000;
let holds = 1;
let round = 0;

/* A lazy picture far below is not fetched until someone scrolls there, so waiting for it would never end. */
/** @param {HTMLImageElement} picture */
const isAwaited = (picture) => !picture.complete && picture.loading !== "lazy";
/** @param {HTMLImageElement} picture */
const drawn = (picture) => (isAwaited(picture) ? picture.decode().catch(() => {}) : null);

const settle = async () => {
  const mine = ++round;
  void root.offsetHeight; /* The layout starts loading those fonts that the page turns out to need. */
  await document.fonts.ready;
  await Promise.all(Array.from(document.images, drawn));
  if (holds > 0 || mine !== round) return;
  root.dataset.settled = "true";
  document.dispatchEvent(new Event("gym:settled"));
};

export const hold = () => {
  holds += 1;
  round += 1;
  delete root.dataset.settled;
};

export const release = () => {
  holds -= 1;
  if (holds === 0) void settle();
};

let isLeaving = false;
const leave = () => {
  if (isLeaving) return;
  isLeaving = true;
  hold();
  setTimeout(() => {
    isLeaving = false;
    release();
  }, STAYED_MS);
};

/** @param {string} address */
const withoutHash = (address) => address.split("#")[0];
/** @param {HTMLAnchorElement} link */
const isElsewhere = (link) =>
  link.target !== "_blank" &&
  !link.hasAttribute("download") &&
  withoutHash(link.href) !== withoutHash(location.href);

addEventListener("submit", (event) => event.defaultPrevented || leave());
addEventListener("click", (event) => {
  /** @type {HTMLAnchorElement | null} */
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (link && !event.defaultPrevented && isElsewhere(link)) leave();
});
addEventListener("beforeunload", leave);

if (document.readyState === "complete") release();
else addEventListener("load", release, { once: true });
