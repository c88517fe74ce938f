/* The DOM tab: fits the replayed page into the tab's width, says when it is there, and has it played. */
"use strict";

(() => {
  const BORDERS = 2;
  const WAIT_MS = 15000;
  const SAYS = {
    loading: "Rebuilding the page …",
    ready: "",
    failed: "The page could not be rebuilt from its recording.",
    ended: "The page at the end of the step.",
  };

  const watch = (box) => {
    const frame = box.querySelector("[data-dom-frame]");
    if (!frame) return;
    const part = (name) => box.querySelector(`[data-dom-${name}]`);
    const [stage, state, play, speed, size] = ["stage", "state", "play", "speed", "size"].map(part);
    const isReal = () => size.getAttribute("aria-pressed") === "true";
    const isPlaying = () => play?.getAttribute("aria-pressed") === "true";
    let isHeld = true;
    let isThere = false;

    const release = () => {
      if (isHeld) window.gymSettled?.release();
      isHeld = false;
    };

    const fit = () => {
      const room = box.clientWidth - BORDERS;
      const share = Math.min(1, room / frame.width);
      const shown = isReal() ? 1 : share;
      frame.style.transform = `scale(${shown})`;
      stage.style.width = `${Math.min(room, frame.width * shown) + BORDERS}px`;
      stage.style.height = isReal() ? "" : `${frame.height * shown + BORDERS}px`;
      size.hidden = share === 1;
    };

    const show = (word, sign, isOn) => {
      play.setAttribute("aria-pressed", String(isOn));
      part("word").textContent = word;
      part("sign").textContent = sign;
    };

    const ask = (message) => frame.contentWindow.postMessage(message, location.origin);

    const start = () => {
      state.textContent = "";
      show("Back", "■", true);
      ask({ play: Number(speed.value) });
    };

    const back = () => {
      state.textContent = "";
      show("Play the step", "▶", false);
      ask({ pause: true });
    };

    const hear = (event) => {
      if (!frame.isConnected) {
        removeEventListener("message", hear);
        release();
        return;
      }
      if (event.source === frame.contentWindow && event.origin === location.origin) tell(event.data?.replay);
    };

    const tell = (told) => {
      if (!Object.hasOwn(SAYS, told)) return;
      isThere ||= told === "ready" || told === "failed";
      state.textContent = SAYS[told];
      stage.classList.toggle("is-failed", told === "failed");
      if (play) play.disabled = told === "failed";
      if (isThere) release();
    };

    window.gymSettled?.hold();
    addEventListener("message", hear);
    /* It may have been there before this script. */
    tell(frame.contentDocument?.documentElement.dataset.replay);
    setTimeout(() => {
      if (!isThere && frame.isConnected) state.textContent = SAYS.failed;
      release();
    }, WAIT_MS);
    play?.addEventListener("click", () => (isPlaying() ? back() : start()));
    speed?.addEventListener("change", () => isPlaying() && start());
    size.addEventListener("click", () => {
      size.setAttribute("aria-pressed", String(!isReal()));
      stage.classList.toggle("is-real", isReal());
      if (isReal()) stage.tabIndex = 0;
      else stage.removeAttribute("tabindex");
      fit();
    });
    new ResizeObserver(fit).observe(box);
    fit();
  };

  document.addEventListener("replay:filled", (event) => event.detail.panel.querySelectorAll("[data-dom]").forEach(watch));
  document.querySelectorAll("[data-dom]").forEach(watch);
})();
