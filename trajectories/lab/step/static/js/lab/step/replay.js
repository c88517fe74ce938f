/* The DOM replay. This script scales the replayed page to its pane, shows its status and plays the step. */

import { hold, release } from "../../arena/settled.js";

const BORDERS = 2;
const WAIT_MS = 15000;
/** @type {Record<string, string>} */
const LABELS = {
  loading: "Rebuilding the page …",
  ready: "",
  failed: "The page could not be rebuilt from its recording.",
  ended: "The page at the end.",
  unfinished: "This replay did not finish loading when it was last opened. It may freeze this tab.",
};

const HEIGHT_LEAST = 160;
/* In a pane, the whole page is visible unless it would be too small. */
/** @param {HTMLElement} box */
const heightOf = (box) => {
  const pane = box.closest(".shot-dom");
  if (!pane || getComputedStyle(pane).overflowY !== "auto") return Infinity;
  const stage = box.querySelector("[data-dom-stage]");
  const room = pane.getBoundingClientRect().bottom - stage.getBoundingClientRect().top - pane.scrollTop - 12;
  return room < HEIGHT_LEAST ? Infinity : room;
};

/* The keyboard belongs to the reader. The frame is inert, but if a replayed page takes the focus anyway, the focus is
   moved back to where it was, and keys that the frame received are pressed here. */
/** @param {EventTarget} element */
const isFrame = (element) => Boolean(element?.matches?.("[data-dom-frame]"));
/** @type {HTMLElement} */
let before = document.body;
document.addEventListener("focusin", ({ target }) => {
  if (!isFrame(target)) before = /** @type {HTMLElement} */ (target);
});
addEventListener("blur", () => {
  setTimeout(() => {
    if (!isFrame(document.activeElement)) return;
    /** @type {HTMLElement} */ (document.activeElement).blur();
    if (before.isConnected && before !== document.body) before.focus({ preventScroll: true });
    window.focus();
  });
});

/** @param {{ key: string, code: string, shiftKey: boolean }} pressed */
const press = ({ key, code, shiftKey }) => {
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }));
};

/** @param {HTMLElement} box */
const watch = (box) => {
  /** @type {HTMLIFrameElement} */
  const frame = box.querySelector("[data-dom-frame]");
  if (!frame) return;
  /** @type {(name: string) => any} */
  const part = (name) => box.querySelector(`[data-dom-${name}]`);
  const [stage, state, play, speed, size] = ["stage", "state", "play", "speed", "size"].map(part);
  const words = part("word")?.textContent;
  const isReal = () => size.getAttribute("aria-pressed") === "true";
  const isPlaying = () => play?.getAttribute("aria-pressed") === "true";
  let isHolding = true;
  let isDone = false;

  const stopHolding = () => {
    if (isHolding) release();
    isHolding = false;
  };

  const fit = () => {
    const room = box.clientWidth - BORDERS;
    const [width, height] = [Number(frame.width), Number(frame.height)];
    const share = Math.min(1, room / width, heightOf(box) / height);
    const shown = isReal() ? 1 : share;
    frame.style.transform = `scale(${shown})`;
    stage.style.width = `${Math.min(room, width * shown) + BORDERS}px`;
    stage.style.height = isReal() ? "" : `${height * shown + BORDERS}px`;
    size.hidden = share === 1;
  };

  /** @type {(word: string, sign: string, isOn: boolean) => void} */
  const show = (word, sign, isOn) => {
    play.setAttribute("aria-pressed", String(isOn));
    part("word").textContent = word;
    part("sign").textContent = sign;
  };

  /** @param {object} message */
  const send = (message) => frame.contentWindow.postMessage(message, location.origin);

  const start = () => {
    state.textContent = "";
    show("Back", "■", true);
    send({ play: Number(speed.value) });
  };

  const back = () => {
    state.textContent = "";
    show(words, "▶", false);
    send({ pause: true });
  };

  /** @param {MessageEvent} event */
  const receive = (event) => {
    if (!frame.isConnected) {
      removeEventListener("message", receive);
      stopHolding();
      return;
    }
    if (event.source !== frame.contentWindow || event.origin !== location.origin) return;
    showStatus(event.data?.replay);
    if (event.data?.pressed) press(event.data.pressed);
  };

  /** @param {string} status */
  const showStatus = (status) => {
    if (!Object.hasOwn(LABELS, status)) return;
    isDone ||= status === "ready" || status === "failed";
    state.textContent = LABELS[status];
    stage.classList.toggle("is-failed", status === "failed");
    if (play) play.disabled = status === "failed";
    if (!isDone) return;
    marked("");
    stopHolding();
  };

  /* If a replay hangs, so does this script. The marker that is left behind prevents the page from opening it again. */
  const mark = `palaestra:replay:${frame.dataset.src}`;
  /** @param {string} value */
  const marked = (value) => {
    try {
      const before = sessionStorage.getItem(mark);
      if (value) sessionStorage.setItem(mark, value);
      else sessionStorage.removeItem(mark);
      return before !== null;
    } catch {
      return false; /* Without storage, every replay is opened. */
    }
  };

  const open = () => {
    part("again").hidden = true;
    state.textContent = LABELS.loading;
    addEventListener("pagehide", () => marked(""), { once: true });
    setTimeout(() => {
      marked("");
      if (!isDone && frame.isConnected) state.textContent = LABELS.failed;
      stopHolding();
    }, WAIT_MS);
    frame.src = frame.dataset.src;
  };

  hold();
  addEventListener("message", receive);
  if (marked("opened")) {
    state.textContent = LABELS.unfinished;
    part("again").hidden = false;
    stopHolding();
  } else open();
  part("again").addEventListener("click", () => {
    open();
    state.tabIndex = -1; /* The button is hidden now, and the focus would otherwise move to the top of the page. */
    state.focus();
  });
  play?.addEventListener("click", () => (isPlaying() ? back() : start()));
  speed?.addEventListener("change", () => isPlaying() && start());
  size.addEventListener("click", () => {
    size.setAttribute("aria-pressed", String(!isReal()));
    stage.classList.toggle("is-real", isReal());
    if (isReal()) stage.tabIndex = 0;
    else stage.removeAttribute("tabindex");
    fit();
  });
  const sizes = new ResizeObserver(fit);
  sizes.observe(box);
  if (box.closest(".shot-dom")) sizes.observe(box.closest(".shot-dom"));
  fit();
};

document.addEventListener("replay:filled", (event) => event.detail.panel.querySelectorAll("[data-dom]").forEach(watch));
document.querySelectorAll("[data-dom]").forEach(watch);
