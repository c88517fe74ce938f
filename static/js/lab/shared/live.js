/* Follows what is under way. A socket says that there is news; the page's part is then fetched from the lab by htmx,
   so that nothing that comes over the socket is ever shown. Without the socket the part is fetched every 3 s, while
   the socket is tried again. Others listen to "live:swapped", which tells the
   part's data. */
"use strict";

(() => {
  const bar = document.querySelector("[data-live]");
  if (!bar || !window.htmx) return;

  const POLL_MS = 3000;
  const ENDING_MS = 5000;
  const CHECK_MS = 30000; /* A socket may die without a word: what it should have told is then found so. */
  const APART_MS = 500;
  /* A request that htmx dropped, or that nobody answers, holds up the next one no longer. */
  const ASKED_MOST_MS = 8000;
  const HELLO_MS = 5000;
  const PING_MS = POLL_MS; /* A server that hangs keeps its sockets open: so it is asked whether it is there. */
  const SILENCE_MS = 2 * POLL_MS;
  const BACK_MS = 1000;
  const BACK_MOST_MS = 30000;
  const SAID_MS = 2000;
  const UNTOLD_MOST = 1;
  const id = bar.dataset.livePart;
  const word = bar.querySelector("[data-live-word]");
  const why = bar.querySelector("[data-live-why]");
  const fresh = bar.querySelector("[data-live-new]");
  const said = bar.querySelector("[data-live-tell]");
  const pause = bar.querySelector("[data-live-pause]");

  let socket = null;
  let isLive = false;
  let isPaused = false;
  let isOver = false;
  let tries = 0;
  let failures = 0;
  let missed = 0;
  let askedAt = 0;
  let isAsking = false;
  let untold = 0;
  let saidAt = 0;
  const timers = {};

  const part = () => document.getElementById(id);
  const state = () => part().dataset.liveState;
  const isResting = () => isPaused || isOver || document.hidden;
  const jittered = (ms) => ms * (0.9 + Math.random() * 0.2);

  const after = (name, ms, does) => {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(does, ms);
  };

  const stop = () => {
    for (const timer of Object.values(timers)) clearTimeout(timer);
  };

  const wordNow = () => {
    if (isOver) return "Ended";
    if (isPaused) return "Paused";
    if (failures) return "No answer from the lab, trying again";
    /* What follows nothing that goes on is not called live, however it is followed. */
    if (part().dataset.liveStill) return part().dataset.liveStill;
    if (isLive) return "Live";
    return tries ? `Polling every ${POLL_MS / 1000} s` : "Connecting";
  };

  const show = () => {
    const now = wordNow();
    if (word.textContent !== now) word.textContent = now;
    const reason = now === part().dataset.liveStill ? (part().dataset.liveWhy ?? "") : "";
    if (why.textContent !== reason) why.textContent = reason;
    const isStill = isOver || isPaused || part().dataset.liveStill;
    bar.dataset.liveNow = isStill ? "still" : isLive && !failures ? "live" : "polling";
    fresh.textContent = isPaused && missed ? `, ${missed} new` : "";
    pause.textContent = isPaused ? "Resume updates" : "Pause updates";
    pause.hidden = isOver;
    bar.toggleAttribute("data-live-held", isPaused);
  };

  /* ---- fetching ---- */

  const ask = () => {
    if (isResting()) return;
    const wait = askedAt + (isAsking ? ASKED_MOST_MS : APART_MS) - Date.now();
    if (wait > 0) {
      after("ask", Math.min(wait, APART_MS), ask);
      return;
    }
    isAsking = true;
    askedAt = Date.now();
    window.htmx.trigger(part(), "news");
  };

  const plan = () => {
    if (isResting()) return;
    const every = state() === "ending" ? ENDING_MS : Number(part().dataset.liveEvery ?? CHECK_MS);
    const polling = Math.min(POLL_MS * 2 ** failures, BACK_MOST_MS);
    after("plan", jittered(isLive && !failures ? every : polling), () => {
      untold += 1;
      ask();
    });
  };

  const say = ({ now = false } = {}) => {
    if (part().dataset.liveSaid === said.textContent) return;
    after("say", now ? 0 : Math.max(0, saidAt + SAID_MS - Date.now()), () => {
      saidAt = Date.now();
      said.textContent = part().dataset.liveSaid ?? "";
    });
  };

  const end = () => {
    isOver = true;
    stop();
    socket?.close();
    say({ now: true });
    show();
  };

  const answered = (event) => {
    if (event.detail.elt.id !== id) return;
    isAsking = false;
    failures = event.detail.successful ? 0 : failures + 1;
    const isNew = event.detail.successful && event.detail.xhr.status === 200 && !isPaused;
    if (isNew) {
      /* Changes time and again that nobody told: this socket is dead. */
      if (isLive && untold > UNTOLD_MOST && state() === "open") drop();
      say();
    }
    if (event.detail.xhr.status === 204) untold = 0;
    if (state() === "ended") end();
    show();
    plan();
    document.dispatchEvent(new CustomEvent("live:swapped", { detail: { ...part().dataset, isOver, isNew } }));
  };

  /* ---- the socket ---- */

  const hear = (text) => {
    const news = JSON.parse(text);
    if (news.type === "error" || news.type === "pong") return;
    if (news.type === "step" && isPaused) missed += 1;
    untold = 0;
    if (news.type !== "state") ask();
    show();
  };

  const lost = () => {
    const wasLive = isLive;
    socket = null;
    isLive = false;
    for (const name of ["hello", "ping", "silence"]) clearTimeout(timers[name]);
    tries += 1;
    show();
    if (isOver || document.hidden) return;
    if (wasLive) plan(); /* Not again at each attempt, which would put it off. */
    const most = Math.min(BACK_MS * 2 ** Math.min(tries, 8), BACK_MOST_MS);
    after("back", most * (0.5 + Math.random() / 2), connect);
  };

  /* Not waiting for the other end to agree, which may never come. */
  const drop = () => {
    const old = socket;
    if (!old) return;
    lost();
    old.close();
  };

  const ping = () => {
    socket?.send("ping");
    after("ping", PING_MS, ping);
  };

  function connect() {
    if (socket || isOver || document.hidden || !bar.dataset.live) return;
    try {
      socket = new WebSocket(bar.dataset.live);
    } catch {
      lost();
      return;
    }
    const mine = socket;
    after("hello", HELLO_MS, () => mine === socket && drop());
    mine.addEventListener("message", (event) => {
      if (mine !== socket) return;
      clearTimeout(timers.hello);
      after("silence", SILENCE_MS, drop);
      if (!isLive) {
        isLive = true;
        tries = 0;
        hear(event.data);
        ask(); /* For what came while nobody told. */
        plan();
        ping();
      } else hear(event.data);
    });
    mine.addEventListener("close", () => mine === socket && lost());
  }

  /* ---- the reader ---- */

  const rest = () => {
    stop();
    isAsking = false;
    const old = socket;
    socket = null;
    isLive = false;
    tries = 0;
    old?.close();
  };

  const wake = () => {
    if (isOver) return;
    askedAt = 0;
    ask();
    connect();
    plan();
    show();
  };

  const hold = (isHeld) => {
    isPaused = isHeld;
    missed = 0;
    if (isPaused) for (const name of ["ask", "plan", "say"]) clearTimeout(timers[name]);
    else wake();
    show();
  };

  pause.addEventListener("click", () => hold(!isPaused));
  /* Whoever asks for the latest holds nothing back any more. */
  document.addEventListener("live:go-on", () => isPaused && hold(false));
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : wake()));
  addEventListener("online", wake);
  document.body.addEventListener("htmx:afterRequest", answered);
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.elt.id === id && isPaused) event.detail.shouldSwap = false; /* Asked for before the pause. */
  });

  /* What a reader has opened stays open, what they have selected stays selected, and so does a script's count of it. */
  const { callbacks } = window.Idiomorph.defaults;
  callbacks.beforeNodeMorphed = (node) => !node.matches?.("[data-live-kept]");
  callbacks.beforeAttributeUpdated = (name, element) =>
    !((name === "open" && element.matches("details")) || (name === "checked" && element.matches(".select-box")));

  if (state() === "ended") end();
  else if (!document.hidden) {
    connect();
    plan();
  }
  show();
})();
