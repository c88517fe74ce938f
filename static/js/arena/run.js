/* Runs the program without leaving the page: the response from the address `run` replaces the part that shows the last
   run, again and again while the run is in progress. The page is not settled until the run has finished. */

import { hold, release } from "./settled.js";

/** @param {HTMLButtonElement} button */
const runWith = (button) => {
  const POLL_MS = 250;
  const form = button.form;
  const part = () => document.querySelector("#run");
  const isWaiting = () => part().dataset.state === "waiting";
  const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

  /** @param {string} text */
  const say = (text) => {
    const line = document.createElement("p");
    line.className = "error";
    line.textContent = text;
    part().replaceChildren(line);
    part().dataset.state = "none";
  };

  /** @param {RequestInit} [options] */
  const ask = async (options) => {
    const answer = await fetch("run", { ...options, headers: { "X-Gym-Part": "run" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#run");
    if (fresh) part().replaceWith(document.adoptNode(fresh));
    else say("The program could not be run. Try again.");
  };

  let isBusy = false;
  /** @param {RequestInit} [options] */
  const watch = async (options) => {
    isBusy = true;
    hold();
    button.setAttribute("aria-disabled", "true");
    try {
      await ask(options);
      while (isWaiting()) {
        await pause();
        await ask();
      }
    } catch {
      say("The program could not be run. Try again.");
    }
    button.removeAttribute("aria-disabled");
    release();
    isBusy = false;
  };

  form.addEventListener("submit", (event) => {
    if (event.submitter !== button) return;
    event.preventDefault();
    if (!isBusy) void watch({ method: "POST", body: new URLSearchParams(/** @type {any} */ (new FormData(form))) });
  });

  if (isWaiting()) void watch();
};

/** @type {HTMLButtonElement} */
const button = document.querySelector("button[formaction=run]");
if (button) runWith(button);
