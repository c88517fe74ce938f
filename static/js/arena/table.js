/* Keeps a table's header in sight when the page scrolls, if the table's full width is visible. The header could not
   leave a frame that scrolls sideways, so the frame does not scroll in that case. */

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
