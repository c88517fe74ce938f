/* Two screenshots on top of each other. A slider wipes from one to the other, and a button makes them alternate. */

const BLINK_MS = 600;

/** @param {HTMLElement} box */
const wipe = (box) => {
  /** @type {HTMLInputElement} */
  const slider = box.querySelector("[data-wipe-at]");
  const button = box.querySelector("[data-blink]");
  const upper = box.querySelector(".wipe-new");
  let blinking = 0;
  /** @param {number} share */
  const show = (share) => {
    upper.style.clipPath = `inset(0 ${share}% 0 0)`;
    upper.style.setProperty("--at", `${100 - share}%`);
  };
  const stop = () => {
    clearInterval(blinking);
    button.setAttribute("aria-pressed", "false");
    show(100 - Number(slider.value));
  };
  const blink = () => {
    let isNew = false;
    button.setAttribute("aria-pressed", "true");
    blinking = setInterval(() => {
      if (!box.isConnected) clearInterval(blinking);
      isNew = !isNew;
      show(isNew ? 0 : 100);
    }, BLINK_MS);
  };
  slider.addEventListener("input", stop);
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") === "true";
    stop();
    if (!isOn) blink();
  });
  box.classList.add("is-stacked");
  show(100 - Number(slider.value));
};

/** @param {ParentNode} place */
const wipesIn = (place) => place.querySelectorAll("[data-wipe]").forEach(wipe);
document.addEventListener("replay:filled", (event) => wipesIn(event.detail.panel));
wipesIn(document);
