/* Live updates. A socket only reports that something has changed; htmx then fetches the changing part of the page from
   the lab, so nothing that arrives over the socket is ever shown. While the socket reconnects, the part is polled every
   3 s. Other scripts listen to "live:swapped", which carries the part's data attributes. */

/** @param {HTMLElement} bar */
const watch = (bar) => {
  const POLL_MS = 3000;
  const ENDING_MS = 5000;
  const CHECK_MS = 30000; /* A socket may die silently, so the part is also fetched at this interval. */
  const INTERVAL_MS = 500;
  /* A request that htmx dropped or that is never answered blocks the next one for at most this long. */
  const REQUEST_MAX_MS = 8000;
  const HELLO_MS = 5000;
  const PING_MS = POLL_MS; /* A hanging server keeps its sockets open, so it is pinged. */
  const SILENCE_MS = 2 * POLL_MS;
  const RECONNECT_MS = 1000;
  const RECONNECT_MAX_MS = 30000;
  const ANNOUNCE_MS = 2000;
  const UNREPORTED_MAX = 1;
  const id = bar.dataset.livePart;
  const status = bar.querySelector("[data-live-status]");
  const reason = bar.querySelector("[data-live-reason]");
  const newCount = bar.querySelector("[data-live-new]");
  const announcer = bar.querySelector("[data-live-announcer]");
  const pause = bar.querySelector("[data-live-pause]");

  /** @type {WebSocket | null} */
  let socket = null;
  let isLive = false;
  let isPaused = false;
  let isOver = false;
  let tries = 0;
  let failures = 0;
  let missed = 0;
  let requestedAt = 0;
  let isRequesting = false;
  let unreported = 0;
  let announcedAt = 0;
  /** @type {Record<string, number>} */
  const timers = {};

  const part = () => document.getElementById(id);
  const state = () => part().dataset.liveState;
  const isResting = () => isPaused || isOver || document.hidden;
  /** @param {number} ms */
  const jittered = (ms) => ms * (0.9 + Math.random() * 0.2);

  /** @type {(name: string, ms: number, callback: () => void) => void} */
  const after = (name, ms, callback) => {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(callback, ms);
  };

  const stop = () => {
    for (const timer of Object.values(timers)) clearTimeout(timer);
  };

  const statusNow = () => {
    if (isOver) return "Ended";
    if (isPaused) return "Paused";
    if (failures) return "No answer from the lab; trying again";
    /* If nothing is going on, the page is not labelled live, whatever its connection. */
    if (part().dataset.liveLabel) return part().dataset.liveLabel;
    if (isLive) return "Live";
    return tries ? `Polling every ${POLL_MS / 1000} s` : "Connecting";
  };

  const show = () => {
    const now = statusNow();
    if (status.textContent !== now) status.textContent = now;
    const because = now === part().dataset.liveLabel ? (part().dataset.liveReason ?? "") : "";
    if (reason.textContent !== because) reason.textContent = because;
    const isStill = isOver || isPaused || part().dataset.liveLabel;
    bar.dataset.liveNow = isStill ? "still" : isLive && !failures ? "live" : "polling";
    newCount.textContent = isPaused && missed ? `, ${missed} new` : "";
    pause.textContent = isPaused ? "Resume updates" : "Pause updates";
    pause.hidden = isOver;
    bar.toggleAttribute("data-live-paused", isPaused);
  };

  /* ---- fetching ---- */

  const fetchPart = () => {
    if (isResting()) return;
    const wait = requestedAt + (isRequesting ? REQUEST_MAX_MS : INTERVAL_MS) - Date.now();
    if (wait > 0) {
      after("fetch", Math.min(wait, INTERVAL_MS), fetchPart);
      return;
    }
    isRequesting = true;
    requestedAt = Date.now();
    window.htmx.trigger(part(), "news");
  };

  const poll = () => {
    if (isResting()) return;
    const every = state() === "ending" ? ENDING_MS : Number(part().dataset.liveEvery ?? CHECK_MS);
    const polling = Math.min(POLL_MS * 2 ** failures, RECONNECT_MAX_MS);
    after("poll", jittered(isLive && !failures ? every : polling), () => {
      unreported += 1;
      fetchPart();
    });
  };

  const announcement = () => part().dataset.liveAnnouncement ?? "";

  const announce = ({ now = false } = {}) => {
    if (announcement() === announcer.textContent) return;
    after("announce", now ? 0 : Math.max(0, announcedAt + ANNOUNCE_MS - Date.now()), () => {
      announcedAt = Date.now();
      announcer.textContent = announcement();
    });
  };

  const end = () => {
    isOver = true;
    stop();
    socket?.close();
    announce({ now: true });
    show();
  };

  /** @param {CustomEvent<HtmxEvent>} event */
  const answered = (event) => {
    if (event.detail.elt.id !== id) return;
    isRequesting = false;
    failures = event.detail.successful ? 0 : failures + 1;
    const isNew = event.detail.successful && event.detail.xhr.status === 200 && !isPaused;
    if (isNew) {
      /* If changes keep arriving that the socket did not report, the socket is dead. */
      if (isLive && unreported > UNREPORTED_MAX && state() === "open") drop();
      announce();
    }
    if (event.detail.xhr.status === 204) unreported = 0;
    if (state() === "ended") end();
    show();
    poll();
    document.dispatchEvent(new CustomEvent("live:swapped", { detail: { ...part().dataset, isOver, isNew } }));
  };

  /* ---- the socket ---- */

  /** @param {string} text */
  const receive = (text) => {
    const news = JSON.parse(text);
    if (news.type === "error" || news.type === "pong") return;
    if (news.type === "step" && isPaused) missed += 1;
    unreported = 0;
    if (news.type !== "state") fetchPart();
    show();
  };

  const disconnected = () => {
    const wasLive = isLive;
    socket = null;
    isLive = false;
    for (const name of ["hello", "ping", "silence"]) clearTimeout(timers[name]);
    tries += 1;
    show();
    if (isOver || document.hidden) return;
    if (wasLive) poll(); /* Polling starts only once, because each further attempt would postpone it. */
    const most = Math.min(RECONNECT_MS * 2 ** Math.min(tries, 8), RECONNECT_MAX_MS);
    after("back", most * (0.5 + Math.random() / 2), connect);
  };

  /* Disconnects without waiting for the closing handshake, which may never come. */
  const drop = () => {
    const old = socket;
    if (!old) return;
    disconnected();
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
      disconnected();
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
        receive(event.data);
        fetchPart(); /* Something may have changed while there was no socket. */
        poll();
        ping();
      } else receive(event.data);
    });
    mine.addEventListener("close", () => mine === socket && disconnected());
  }

  /* ---- the reader ---- */

  const rest = () => {
    stop();
    isRequesting = false;
    const old = socket;
    socket = null;
    isLive = false;
    tries = 0;
    old?.close();
  };

  const wake = () => {
    if (isOver) return;
    requestedAt = 0;
    fetchPart();
    connect();
    poll();
    show();
  };

  /** @param {boolean} value */
  const setPaused = (value) => {
    isPaused = value;
    missed = 0;
    if (isPaused) for (const name of ["fetch", "poll", "announce"]) clearTimeout(timers[name]);
    else wake();
    show();
  };

  pause.addEventListener("click", () => setPaused(!isPaused));
  /* Jumping to the latest step ends a pause. */
  document.addEventListener("live:resume", () => isPaused && setPaused(false));
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : wake()));
  addEventListener("online", wake);
  document.body.addEventListener("htmx:afterRequest", answered);
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.elt.id === id && isPaused) event.detail.shouldSwap = false; /* The response was requested before the pause. */
  });

  /* Updates keep what the reader has opened or selected, and the scripts' count of the selection. */
  const { callbacks } = window.Idiomorph.defaults;
  callbacks.beforeNodeMorphed = (/** @type {any} */ node) => !node.matches?.("[data-live-preserve]");
  callbacks.beforeAttributeUpdated = (/** @type {string} */ name, /** @type {Element} */ element) =>
    !((name === "open" && element.matches("details")) || (name === "checked" && element.matches(".select-box")));

  if (state() === "ended") end();
  else if (!document.hidden) {
    connect();
    poll();
  }
  show();
};

const bar = document.querySelector("[data-live]");
if (bar && window.htmx) watch(bar);
