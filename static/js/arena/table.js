/* Where a table is in sight in all its width, its header stays in sight when the page scrolls. A frame that scrolls
   sideways would hold the header back, so the frame is opened for that. */

/** @param {HTMLElement} frame */
const watch = (frame) => {
  const fit = () => {
    frame.classList.remove("is-whole");
    frame.classList.toggle("is-whole", frame.scrollWidth <= frame.clientWidth);
  };

  fit();
  addEventListener("resize", fit);
};

const frame = document.querySelector(".table-frame");
if (frame) watch(frame);
