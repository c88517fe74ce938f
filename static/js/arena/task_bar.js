/* Leaves the task bar on every page as it was left on the last one: open or folded, with what was typed into it. Until
   somebody says otherwise it is as the server sent it: open on the first page, folded on later ones. Typing into it says
   that it stays open. Kept for this tab and episode. Also measures the bar, for what is placed below it. */

/** @type {(bar: HTMLElement, root: string) => void} */
const keep = (bar, root) => {
  const KEY = `task-bar ${root}`;
  const fold = bar.querySelector("details");
  /** @type {HTMLInputElement[]} */
  const fields = Array.from(bar.querySelectorAll("input[name=answer]"));
  const isRefused = "refused" in bar.dataset;

  /* A tab may have no storage; then nothing is stored. */
  const stored = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  };
  /** @param {{ isOpen: boolean, answers?: string[] }} news */
  const store = (news) => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ ...stored(), ...news }));
    } catch {
      return;
    }
  };

  const restore = () => {
    const { isOpen = fold.open, answers = [] } = stored();
    fold.open = isRefused || isOpen;
    fields.forEach((field, place) => {
      field.value = answers[place] ?? field.value;
    });
  };

  /* A text that scrolls must be reached by the keyboard; one that does not is no stop on its way. */
  const text = bar.querySelector(".task-text");
  const measure = () => {
    document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`);
    if (fold.open && text.scrollHeight > text.clientHeight) text.tabIndex = 0;
    else text.removeAttribute("tabindex");
  };

  restore();
  measure();
  new ResizeObserver(measure).observe(bar);
  fold.querySelector("summary").addEventListener("click", () => {
    setTimeout(() => store({ isOpen: fold.open }));
  });
  bar.addEventListener("input", () => store({ isOpen: true, answers: fields.map((field) => field.value) }));
  /* A page that the browser had kept, and now shows again as it was left, knows nothing of those in between. */
  addEventListener("pageshow", (event) => event.persisted && restore());
};

const bar = document.querySelector("[data-task-bar]");
const match = location.pathname.match(/^\/e\/[^/]+\//);
if (bar && match) keep(bar, match[0]);
