/* Adds buttons for the next and the previous photo to a gallery, which also works without them. */

import { hold, release } from "./settled.js";

/** @type {(tag: string, fields: object) => HTMLElement} */
const create = (tag, fields) => Object.assign(document.createElement(tag), fields);

/** @param {HTMLElement} gallery */
const steps = (gallery) => {
  const list = gallery.querySelector("[data-slides]");
  const slides = /** @type {HTMLElement[]} */ (Array.from(list.children));
  const links = Array.from(gallery.querySelectorAll("[data-slide]"));
  let at = 0;

  const status = create("p", {});
  status.setAttribute("role", "status");

  const mark = () => {
    status.textContent = `Photo ${at + 1} of ${slides.length}`;
    links.forEach((link, place) => {
      if (place === at) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };

  /* If the picture has not been fetched yet, the page is not settled before it is drawn. */
  /** @param {HTMLImageElement} picture */
  const fetched = (picture) => {
    if (picture.complete && picture.naturalWidth) return;
    hold();
    picture.loading = "eager";
    void picture
      .decode()
      .catch(() => {})
      .then(release);
  };

  /** @param {number} place */
  const show = (place) => {
    at = (place + slides.length) % slides.length;
    fetched(slides[at].querySelector("img"));
    list.scrollTo({ left: slides[at].offsetLeft, behavior: "instant" });
    mark();
  };

  list.addEventListener("scroll", () => {
    const seen = Math.round(list.scrollLeft / list.clientWidth);
    if (seen === at) return;
    at = seen;
    mark();
  });
  links.forEach((link, place) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(place);
    });
  });

  /** @type {(textContent: string, by: number) => HTMLElement} */
  const button = (textContent, by) =>
    create("button", { type: "button", className: "button-small", textContent, onclick: () => show(at + by) });
  const row = create("div", { className: "gallery-steps" });
  row.append(button(gallery.dataset.previous, -1), status, button(gallery.dataset.next, 1));
  gallery.append(row);
  mark();
};

document.querySelectorAll("[data-gallery]").forEach((gallery) => {
  if (gallery.querySelector("[data-slide]")) steps(gallery);
});
