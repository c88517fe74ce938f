/* Enlarges the pictures, and shows them at their own size again, without leaving the page, so that typed text stays.
   Without scripts, the links do the same by themselves. */

/** @param {HTMLElement} tools */
const zoomWith = (tools) => {
  /** @type {HTMLAnchorElement} */
  const larger = tools.querySelector("[data-zoom-in]");
  const back = tools.querySelector("[data-zoom-back]");
  const largest = Number(tools.dataset.zoomLargest);
  let times = Number(tools.dataset.zoomTimes);
  /** @type {NodeListOf<HTMLImageElement>} */
  const images = document.querySelectorAll(".figure img");
  const pictures = Array.from(images, (picture) => ({
    picture,
    width: picture.width / times,
    height: picture.height / times,
  }));

  /** @param {number} factor */
  const show = (factor) => {
    times = factor;
    for (const { picture, width, height } of pictures) {
      picture.width = width * times;
      picture.height = height * times;
    }
    larger.hidden = times >= largest;
    back.hidden = times === 1;
    larger.search = `?zoom=${times + 1}`;
    (larger.hidden ? back : larger).focus();
  };
  /** @type {(link: HTMLElement, factor: () => number) => void} */
  const onClick = (link, factor) =>
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(factor());
    });

  onClick(larger, () => Math.min(times + 1, largest));
  onClick(back, () => 1);
};

const tools = document.querySelector("[data-zoom-times]");
if (tools) zoomWith(tools);
